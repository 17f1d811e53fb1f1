/** Enqueue rival: fastify with one SQLite commit a request. DATA_DIR is where. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import Fastify from 'fastify'
import { Command, checkToken } from './token.js'

const db = new Database(join(process.env.DATA_DIR, 'rival.db'))
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec(`CREATE TABLE messages (id INTEGER PRIMARY KEY, device TEXT, command TEXT, data TEXT, status TEXT);
  CREATE INDEX waiting ON messages (device, id) WHERE status = 'NOT_DELIVERED'`)
const insert = db.prepare(
  `INSERT INTO messages (device, command, data, status) VALUES (?, ?, ?, 'NOT_DELIVERED')`,
)

const app = Fastify()
app.addHook('onRequest', checkToken)

app.put('/producer/request/:device', { schema: { body: Command } }, ({ params, body }, reply) => {
  const { lastInsertRowid } = insert.run(params.device, body.command, JSON.stringify(body.data ?? {}))
  const tmpId = body.messageBirthCertificate?.tmpId ?? null
  reply.send({ id: lastInsertRowid, tmpId, deliveryStatus: 'NOT_DELIVERED' })
})

console.log(JSON.stringify({ url: await app.listen({ host: '127.0.0.1', port: 0 }) }))
