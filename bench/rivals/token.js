/** What the durable rivals check of a request, as the product does it: the token (a seen one is not verified again), the body. */
import { createSecretKey } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { LRUCache } from 'lru-cache'

const key = createSecretKey(process.env.JWT_SECRET, 'utf8')
const seen = new LRUCache({ max: 10_000 })

/** A hook for fastify: answers 401 when there is no valid token. */
export function checkToken({ headers }, reply, done) {
  if (clientOf(headers.authorization) === null) return reply.code(401).send({ error: 'Unauthorized' })
  done()
}

/** @returns whom the token stands for; null when it is not valid */
export function clientOf(authorization) {
  const token = authorization?.slice('Bearer '.length)
  const claims = seen.get(token) ?? verified(token)
  return claims === null || claims.exp * 1000 <= Date.now() ? null : claims.sub
}

function verified(token) {
  try {
    const claims = jwt.verify(token, key, { algorithms: ['HS256'] })
    seen.set(token, claims)
    return claims
  } catch {
    return null
  }
}

const text = { type: 'string', minLength: 1, maxLength: 255 }

export const Command = {
  type: 'object',
  required: ['command'],
  properties: {
    command: text,
    data: { type: 'object', additionalProperties: true },
    messageBirthCertificate: { type: 'object', properties: { tmpId: { type: 'integer' } } },
  },
}

export const Acknowledgement = {
  type: 'object',
  required: ['id', 'deliveryStatus'],
  properties: { id: { type: 'integer' }, deliveryStatus: text },
}
