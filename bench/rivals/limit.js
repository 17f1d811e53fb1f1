/** The limit of a durable enqueue: uWebSockets.js, a SQLite group commit, and nothing else. DATA_DIR is where. */

import uws from 'uWebSockets.js'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { groupCommit } from './group-commit.js'

const db = new Database(join(process.env.DATA_DIR, 'limit.db'))
db.exec('CREATE TABLE messages (id INTEGER PRIMARY KEY, device TEXT, body TEXT)')
const insert = db.prepare('INSERT INTO messages (device, body) VALUES (?, ?)')
const { write: enqueue } = groupCommit(
  db,
  (exchange) => {
    exchange.id = insert.run(exchange.device, exchange.body).lastInsertRowid
  },
  ({ res, id, over }) => {
    if (over) return
    res.cork(() => {
      res.writeHeader('content-type', 'application/json').end(`{"id":${id}}`)
    })
  },
)

const app = uws.App().put('/producer/request/:device', (res, req) => {
  const exchange = { res, device: req.getParameter(0), body: '', id: 0, over: false }
  res.onAborted(() => {
    exchange.over = true
  })
  res.onData((chunk, isLast) => {
    exchange.body += Buffer.from(chunk).toString('utf8')
    if (isLast) enqueue(exchange)
  })
})

app.listen('127.0.0.1', 0, (socket) => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${uws.us_socket_local_port(socket)}` }))
})
