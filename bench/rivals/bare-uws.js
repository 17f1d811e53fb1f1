/** Routing rival: uWebSockets.js with nothing on it but the same honest work. */
import uws from 'uWebSockets.js'
import { BODY_LIMIT, decode, isOrder } from './order.js'

const app = uws.App()

app.get('/bench/greeting/:name', (res, req) => {
  answer(res, { greeting: `Hi ${decode(req.getParameter(0))}` })
})

app.put('/bench/order/:id', (res, req) => {
  const id = decode(req.getParameter(0))
  const chunks = []
  let length = 0
  let gone = false
  res.onAborted(() => {
    gone = true
  })
  res.onData((chunk, isLast) => {
    if (gone) return
    length += chunk.byteLength
    if (length > BODY_LIMIT) return res.close()
    // The engine empties the chunk when this callback returns; one that is the whole body is read at once.
    const bytes = Buffer.from(chunk)
    if (!isLast) return chunks.push(Buffer.from(bytes))
    order(res, id, chunks.length === 0 ? bytes : Buffer.concat([...chunks, bytes]))
  })
})

function order(res, id, bytes) {
  let body
  try {
    body = JSON.parse(bytes.toString('utf8'))
  } catch {}
  if (isOrder(body)) return answer(res, { id, command: body.command, priority: body.priority })
  res.writeStatus('400 Bad Request')
  answer(res, { error: 'Bad Request' })
}

function answer(res, value) {
  res.writeHeader('content-type', 'application/json').end(JSON.stringify(value))
}

app.listen('127.0.0.1', 0, (socket) => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${uws.us_socket_local_port(socket)}` }))
})
