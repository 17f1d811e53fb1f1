/** Gives the handlers of this tree the services that the composition root opened. */
import type { BrokerServices } from '../src/app/services.ts'
import type { Services } from '../src/services.ts'

export { errors } from '../src/wire/errors.ts'

type Opened = BrokerServices & Pick<Services, 'describe'>

interface Context extends Pick<Services, 'describe'> {
  readonly broker: BrokerServices
}

export const open = ({ broker, describe }: Context): Opened => ({ ...broker, describe })

/** Closes the event streams. They never end by themselves, so a stop would wait for them. */
export const drain = ({ feed }: Opened): void => feed.close()

export const authenticate = ({ identify }: Opened, authorization: string | undefined) =>
  identify(authorization)

export const socket = ({ webSocket }: Opened, path: string) => webSocket(path)
