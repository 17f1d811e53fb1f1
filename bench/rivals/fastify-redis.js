/** Enqueue and trip rival: fastify with Redis, which appends to its file and syncs before it answers. REDIS_URL is where. */
import Fastify from 'fastify'
import { createClient } from 'redis'
import { Acknowledgement, Command, checkToken } from './token.js'

const redis = await createClient({ url: process.env.REDIS_URL }).connect()

const app = Fastify()
app.addHook('onRequest', checkToken)

// This process alone makes ids: it saves a round trip.
let lastId = 0

app.put('/producer/request/:device', { schema: { body: Command } }, async ({ params, body }) => {
  const id = ++lastId
  const message = JSON.stringify({ id, command: body.command, data: body.data ?? {} })
  await redis.multi().rPush(`queue:${params.device}`, message).set(`status:${id}`, 'NOT_DELIVERED').exec()
  const tmpId = body.messageBirthCertificate?.tmpId ?? null
  return { id, tmpId, deliveryStatus: 'NOT_DELIVERED' }
})

app.get('/consumer/getLastMessage/:device', async ({ params }, reply) => {
  const message = await redis.lIndex(`queue:${params.device}`, 0)
  reply.type('application/json')
  return message === null ? '[]' : `[${message}]`
})

app.post('/consumer/request/:device', { schema: { body: Acknowledgement } }, async ({ params, body }) => {
  // The oldest one is what a device was given, and so what it acknowledges.
  await redis.multi().lPop(`queue:${params.device}`).set(`status:${body.id}`, body.deliveryStatus).exec()
  return { deliveryStatus: body.deliveryStatus }
})

console.log(JSON.stringify({ url: await app.listen({ host: '127.0.0.1', port: 0 }) }))
