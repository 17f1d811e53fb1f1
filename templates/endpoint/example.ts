import { Endpoint, Type } from 'waybill'

export class Default extends Endpoint {
  static keywords = { GET: Type.Object({ name: Type.String({ default: 'World', maxLength: 80 }) }) }

  GET({ name }: { name: string }) {
    return `Hello ${name}`
  }
}
