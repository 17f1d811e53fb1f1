/** Routing rival: fastify, with schemas for the body and for the answers. */
import Fastify from 'fastify'
import { Order } from './order.js'

const app = Fastify()

const text = { type: 'string' }
const answers = (properties) => ({ 200: { type: 'object', properties } })

app.get(
  '/bench/greeting/:name',
  { schema: { response: answers({ greeting: text }) } },
  ({ params }, reply) => {
    reply.send({ greeting: `Hi ${params.name}` })
  },
)

app.put(
  '/bench/order/:id',
  { schema: { body: Order, response: answers({ id: text, command: text, priority: { type: 'integer' } }) } },
  ({ params, body }, reply) => {
    reply.send({ id: params.id, command: body.command, priority: body.priority })
  },
)

const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url }))
