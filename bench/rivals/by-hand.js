/**
 * Enqueue rival: what the product does with a command, by hand on a bare engine: the token checked, the body validated by
 * the product's schema, stored as the product's row, the queue's order kept in memory. What is left out: all else.
 * ENGINE is `uws` or `node`, DATA_DIR is where.
 */

import { createServer } from 'node:http'
import { join } from 'node:path'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import Database from 'better-sqlite3'
import { migrate } from '../../dist/src/store/sqlite/migrations.js'
import { ProducerMessage } from '../../dist/src/wire.js'
import { groupCommit } from './group-commit.js'
import { clientOf } from './token.js'

const PATH = '/producer/request/'
const JSON_TYPE = 'application/json'
const valid = TypeCompiler.Compile(ProducerMessage)

const db = new Database(join(process.env.DATA_DIR, 'by-hand.db'))
migrate(db)
const insert = db.prepare(
  `INSERT INTO messages
     (id, device_id, command, guarantee, tmp_id, producer_id, sender_id, created_at_ms, changed_at_ms, data)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
)
const commit = groupCommit(
  db,
  ({ id, device, command, guarantee, tmpId, producerId, sender, now, data }) =>
    insert.run(id, device, command, guarantee, tmpId, producerId, sender, now, now, data),
  ({ answer, id, tmpId }) => answer(200, JSON.stringify({ id, tmpId, deliveryStatus: 'NOT_DELIVERED' })),
)
const queues = new Map()
let lastId = 0

/** @param answer takes the status and the body */
function enqueue(sender, device, text, answer) {
  const body = parse(text)
  if (!valid.Check(body)) return answer(400, '{"error":"Bad Request"}')
  const { command, believerGuarantee: guarantee = 'RECEIPT_CONFIRMATION', messageBirthCertificate } = body
  const { tmpId = null, producerDeviseId: producerId = null } = messageBirthCertificate ?? {}
  const id = ++lastId
  const queue = queues.get(device)
  if (queue) queue.push(id)
  else queues.set(device, [id])
  const data = JSON.stringify(body.data ?? {})
  commit({ answer, id, device, command, guarantee, tmpId, producerId, sender, now: Date.now(), data })
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function listenUws() {
  const { default: uws } = await import('uWebSockets.js')
  const app = uws.App().put(`${PATH}:device`, (res, req) => {
    const device = req.getParameter(0)
    const sender = clientOf(req.getHeader('authorization'))
    let text = ''
    let over = false
    res.onAborted(() => {
      over = true
    })
    const answer = (status, body) => {
      if (over) return
      res.cork(() => {
        if (status !== 200) res.writeStatus(String(status))
        res.writeHeader('content-type', JSON_TYPE).end(body)
      })
    }
    res.onData((chunk, isLast) => {
      text += Buffer.from(chunk).toString('utf8')
      if (!isLast) return
      if (sender === null) answer(401, '{"error":"Unauthorized"}')
      else enqueue(sender, device, text, answer)
    })
  })
  app.listen('127.0.0.1', 0, (socket) => listening(uws.us_socket_local_port(socket)))
}

function listenNode() {
  const server = createServer((req, res) => {
    const sender = clientOf(req.headers.authorization)
    let text = ''
    const answer = (status, body) => {
      res.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) })
      res.end(body)
    }
    req.on('data', (chunk) => {
      text += chunk.toString('utf8')
    })
    req.on('end', () => {
      if (sender === null) answer(401, '{"error":"Unauthorized"}')
      else enqueue(sender, req.url.slice(PATH.length), text, answer)
    })
  })
  server.listen(0, '127.0.0.1', () => listening(server.address().port))
}

function listening(port) {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
}

if (process.env.ENGINE === 'uws') await listenUws()
else listenNode()
