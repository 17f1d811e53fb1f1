/** Routing rival: node:http with nothing on it but the same honest work. */
import { createServer } from 'node:http'
import { BODY_LIMIT, decode, isOrder } from './order.js'

const GREETING = '/bench/greeting/'
const ORDER = '/bench/order/'

const server = createServer((req, res) => {
  const { method, url } = req
  if (method === 'GET' && url.startsWith(GREETING)) {
    return answer(res, 200, { greeting: `Hi ${decode(url.slice(GREETING.length))}` })
  }
  if (method === 'PUT' && url.startsWith(ORDER)) return order(req, res, decode(url.slice(ORDER.length)))
  answer(res, 404, { error: 'Not Found' })
})

function order(req, res, id) {
  const chunks = []
  let length = 0
  req.on('data', (chunk) => {
    length += chunk.length
    if (length > BODY_LIMIT) req.destroy()
    else chunks.push(chunk)
  })
  req.on('end', () => {
    let body
    try {
      body = JSON.parse((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString('utf8'))
    } catch {}
    if (!isOrder(body)) return answer(res, 400, { error: 'Bad Request' })
    answer(res, 200, { id, command: body.command, priority: body.priority })
  })
}

function answer(res, status, value) {
  const text = JSON.stringify(value)
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  res.end(text)
}

server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }))
})
