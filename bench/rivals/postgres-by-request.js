/**
 * Rival of the product on PostgreSQL: the same functions of the same schema, called once for each request over sixteen
 * connections. STORE_DIR is the directory of the socket, JWT_SECRET signs the tokens.
 */
import Fastify from 'fastify'
import pg from 'pg'
import { Acknowledgement, Command, checkToken } from './token.js'

const pool = new pg.Pool({ host: process.env.STORE_DIR, user: 'waybill', database: 'waybill', max: 16 })
pool.on('connect', (client) => client.query('SET search_path TO waybill'))
pool.on('error', (error) => console.error(error))

/** Number of a node that does not exist: the rival reads no journal. */
const NODE = 0
const ATTEMPT = { durations_ms: [30_000], paced: false, deaf: false }
const ENQUEUE_CALL = {
  ...{
    producer_id: null,
    sender_id: 'admin',
    has_terms: false,
    details: false,
    valid_seconds: null,
    delay_seconds: null,
  },
  ...{ finish_seconds: null, max_attempts: null, max_messages: 100_000_000, max_bytes: 0, replaces: null },
  ...{ scope: null, key: null, fingerprint: null, audit: null },
}

/** Calls a function of the schema for one call, and returns its result. */
async function write(name, call) {
  const text = `SELECT ${name}($1, $2) AS result`
  const { rows } = await pool.query({ name, text, values: [NODE, JSON.stringify([call])] })
  return rows[0].result[0]
}

async function read(name, call) {
  const { rows } = await pool.query({
    name,
    text: `SELECT ${name}($1) AS result`,
    values: [JSON.stringify([call])],
  })
  return rows[0].result[0]
}

const app = Fastify()
app.addHook('onRequest', checkToken)

app.put('/producer/request/:device', { schema: { body: Command } }, async ({ params, body }) => {
  const tmpId = body.messageBirthCertificate?.tmpId ?? null
  const data = JSON.stringify(body.data ?? {})
  const bytes = Buffer.byteLength(body.command) + Buffer.byteLength(data)
  const call = {
    ...ENQUEUE_CALL,
    device_id: params.device,
    command: body.command,
    guarantee: 1,
    data,
    bytes,
    tmp_id: tmpId,
  }
  const { id } = await write('enqueue', call)
  return { id, tmpId, deliveryStatus: 'NOT_DELIVERED' }
})

app.get('/consumer/getLastMessage/:device', async ({ params }, reply) => {
  const head = await read('look', { kind: 'head', device_id: params.device })
  reply.type('application/json')
  if (head === null) return '[]'
  const { id, command, data, attempt } = head
  if (attempt === null) {
    const call = { device_id: params.device, id, ...ATTEMPT, attempt_number: null, attempt_at_ms: null }
    await write('take', call)
  }
  return `[${JSON.stringify({ id, command, data: JSON.parse(data) })}]`
})

app.post('/consumer/request/:device', { schema: { body: Acknowledgement } }, async ({ params, body }) => {
  const call = { device_id: params.device, id: body.id, status: 2, name: 'ackCompleted', changed_by: null }
  await write('acknowledge', { ...call, reason: null, result: null, result_dropped: null })
  return { deliveryStatus: body.deliveryStatus }
})

console.log(JSON.stringify({ url: await app.listen({ host: '127.0.0.1', port: 0 }) }))
