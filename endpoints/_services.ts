/** Hands what the composition root opened to the handlers of this tree. */
import type { BrokerServices } from '../src/app/services.ts'
import type { Services } from '../src/services.ts'

export { errors } from '../src/wire/errors.ts'

type Opened = BrokerServices & Pick<Services, 'describe'>

interface Context extends Pick<Services, 'describe'> {
  readonly broker: BrokerServices
}

export const open = ({ broker, describe }: Context): Opened => ({ ...broker, describe })

/** Ends the streams of events, which never end by themselves. */
export const drain = ({ feed }: Opened): void => feed.close()

export const authenticate = ({ identify }: Opened, authorization: string | undefined) =>
  identify(authorization)

export const socket = ({ webSocket }: Opened, path: string) => webSocket(path)
