/** Routing rival: h3 on its node server. */
import { H3, HTTPError, serve } from 'h3'
import { isOrder } from './order.js'

const app = new H3()

app.get('/bench/greeting/:name', ({ context }) => ({ greeting: `Hi ${context.params.name}` }))

app.put('/bench/order/:id', async (event) => {
  const body = await event.req.json()
  if (!isOrder(body)) throw new HTTPError({ status: 400 })
  return { id: event.context.params.id, command: body.command, priority: body.priority }
})

const server = serve(app, { hostname: '127.0.0.1', port: 0, silent: true })
await server.ready()
console.log(JSON.stringify({ url: server.url }))
