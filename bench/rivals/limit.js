/** The limit of a durable enqueue: uWebSockets.js, a SQLite group commit, and nothing else. DATA_DIR is where. */

import uws from 'uWebSockets.js'
import { join } from 'node:path'
import Database from 'better-sqlite3'

const db = new Database(join(process.env.DATA_DIR, 'limit.db'))
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec('CREATE TABLE messages (id INTEGER PRIMARY KEY, device TEXT, body TEXT)')
const insert = db.prepare('INSERT INTO messages (device, body) VALUES (?, ?)')
const begin = db.prepare('BEGIN IMMEDIATE')
const commit = db.prepare('COMMIT')

let waiting = []

function flush() {
  const batch = waiting
  waiting = []
  begin.run()
  for (const each of batch) each.id = insert.run(each.device, each.body).lastInsertRowid
  commit.run()
  for (const { res, id, over } of batch) {
    if (over) continue
    res.cork(() => {
      res.writeHeader('content-type', 'application/json').end(`{"id":${id}}`)
    })
  }
}

const app = uws.App().put('/producer/request/:device', (res, req) => {
  const exchange = { res, device: req.getParameter(0), body: '', id: 0, over: false }
  res.onAborted(() => {
    exchange.over = true
  })
  res.onData((chunk, isLast) => {
    exchange.body += Buffer.from(chunk).toString('utf8')
    if (!isLast) return
    if (waiting.push(exchange) === 1) setImmediate(flush)
  })
})

app.listen('127.0.0.1', 0, (socket) => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${uws.us_socket_local_port(socket)}` }))
})
