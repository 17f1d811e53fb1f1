/** What the routing servers are asked, the same for all: the schema of the body, and its compiled check. Knows no server. */
import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'

export const Order = Type.Object({
  command: Type.String({ minLength: 1, maxLength: 255 }),
  priority: Type.Integer({ minimum: 0, maximum: 9 }),
  data: Type.Object({
    speed: Type.Number(),
    direction: Type.String(),
    tags: Type.Array(Type.String()),
  }),
})

const compiled = TypeCompiler.Compile(Order)

/** @returns whether a parsed body is an {@link Order} */
export const isOrder = (value) => compiled.Check(value)

/** The largest body that a bare server takes. */
export const BODY_LIMIT = 262_144

/** A path segment as it was meant. */
export const decode = (segment) => (segment.includes('%') ? decodeURIComponent(segment) : segment)
