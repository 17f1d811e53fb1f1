/** Gives the classes of this tree the broker, and checks tokens by hand. */
import { clientOf } from '../token.js'

export const open = ({ broker }) => ({ broker })

export const authenticate = (_services, authorization) => {
  const id = clientOf(authorization)
  return id === null ? null : { id, roles: ['MAN'] }
}
