/**
 * Enqueue rival: what the product does with a command, by hand on a bare engine: the token checked, the body validated by
 * the product's schema, stored as the product's row, the queue's order kept in memory. What is left out: all else.
 * ENGINE is `uws` or `node`, DATA_DIR is where. RUNG (0 to 13) puts parts of the product in place of the work by hand, one
 * more with each rung: see `by-hand-rungs.js` and, for those above 8, `by-hand-web.js`.
 */

import { createServer } from 'node:http'
import { RUNGS } from './by-hand-rungs.js'
import { listenWith, WEB_RUNGS } from './by-hand-web.js'
import { clientOf } from './token.js'

const PATH = '/producer/request/'
const POLL_PATH = '/consumer/getLastMessage/'
const JSON_TYPE = 'application/json'
const RUNG = Number(process.env.RUNG ?? 0)

async function listenUws(enqueue) {
  const { default: uws } = await import('uWebSockets.js')
  const app = uws.App().put(`${PATH}:device`, (res, req) => {
    const device = req.getParameter(0)
    const sender = clientOf(req.getHeader('authorization'))
    const chunks = []
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
      // The engine empties the chunk when this callback returns; one that is the whole body is read at once.
      const bytes = Buffer.from(chunk)
      if (!isLast) return chunks.push(Buffer.from(bytes))
      if (sender === null) answer(401, '{"error":"Unauthorized"}')
      else enqueue(sender, device, chunks.length === 0 ? bytes : Buffer.concat([...chunks, bytes]), answer)
    })
  })
  app.get(`${POLL_PATH}:device`, (res, req) => {
    if (clientOf(req.getHeader('authorization')) === null)
      res.writeStatus('401').end('{"error":"Unauthorized"}')
    else res.writeHeader('content-type', JSON_TYPE).end(enqueue.poll(req.getParameter(0)))
  })
  app.listen('127.0.0.1', 0, (socket) => listening(uws.us_socket_local_port(socket)))
}

function listenNode(enqueue) {
  const server = createServer((req, res) => {
    const sender = clientOf(req.headers.authorization)
    const chunks = []
    const answer = (status, body) => {
      res.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) })
      res.end(body)
    }
    if (req.method === 'GET') {
      if (sender === null) return answer(401, '{"error":"Unauthorized"}')
      return answer(200, enqueue.poll(req.url.slice(POLL_PATH.length)))
    }
    req.on('data', (chunk) => {
      chunks.push(chunk)
    })
    req.on('end', () => {
      if (sender === null) answer(401, '{"error":"Unauthorized"}')
      else
        enqueue(
          sender,
          req.url.slice(PATH.length),
          chunks.length === 1 ? chunks[0] : Buffer.concat(chunks),
          answer,
        )
    })
  })
  server.listen(0, '127.0.0.1', () => listening(server.address().port))
}

function listening(port) {
  console.log(JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${port}` }))
}

const { ENGINE, DATA_DIR } = process.env
if (RUNG < RUNGS.length) {
  // Takes the sender, the device, the bytes of the body, and a function that takes the status and the body of the answer.
  const enqueue = RUNGS[RUNG].open(DATA_DIR)
  await (ENGINE === 'uws' ? listenUws : listenNode)(enqueue)
} else {
  const app = await WEB_RUNGS[RUNG - RUNGS.length].open(DATA_DIR)
  listening((await listenWith(ENGINE, app)).port)
}
