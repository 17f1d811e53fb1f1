/** Routing rival: hono on its node server. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { validator } from 'hono/validator'
import { isOrder } from './order.js'

const app = new Hono()

app.get('/bench/greeting/:name', (c) => c.json({ greeting: `Hi ${c.req.param('name')}` }))

app.put(
  '/bench/order/:id',
  validator('json', (value, c) => (isOrder(value) ? value : c.json({ error: 'Bad Request' }, 400))),
  (c) => {
    const { command, priority } = c.req.valid('json')
    return c.json({ id: c.req.param('id'), command, priority })
  },
)

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
