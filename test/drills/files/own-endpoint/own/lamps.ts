/** /lamps: switches lamps. */
import { Endpoint, Type, type Uses } from 'waybill'

export class On extends Endpoint<Uses<'broker'>> {
  static access = ['MAN']
  static keywords = { POST: Type.Object({ lamps: Type.Array(Type.String(), { minItems: 1 }) }) }

  POST({ lamps }: { lamps: string[] }) {
    const sender = this.call.identity
    return Promise.all(
      lamps.map(async (deviceId) => {
        const { id } = await this.services.broker.enqueue({ deviceId, command: 'on', sender })
        return id
      }),
    )
  }
}
