/** The routing part's endpoints, as a user of the framework drops them in. */
import { Endpoint, Type } from 'waybill'

export class Greeting extends Endpoint {
  static access = 'public'

  GET(name) {
    return { greeting: `Hi ${name}` }
  }
}

export class Order extends Endpoint {
  static access = 'public'
  static keywords = {
    PUT: Type.Object({
      command: Type.String({ minLength: 1, maxLength: 255 }),
      priority: Type.Integer({ minimum: 0, maximum: 9 }),
      data: Type.Object({
        speed: Type.Number(),
        direction: Type.String(),
        tags: Type.Array(Type.String()),
      }),
    }),
  }

  PUT(id, { command, priority }) {
    return { id, command, priority }
  }
}
