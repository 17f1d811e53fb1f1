/** The public face of `waybill/client`. */
export { FINAL_STATUSES, STATUS_KINDS, STATUSES, type StatusKind } from '../broker/status.ts'
export {
  type AckStatus,
  Client,
  type ClientOptions,
  type ConsumerMessage,
  type DeliveryGuarantee,
  type DeliveryStatus,
  type DeviceSettings,
  type LoginResult,
  type Message,
  type MessageQuery,
  type NewDeviceSettings,
  type ProducerMessageResult,
  type SendOptions,
  type WaitOptions,
} from './client.ts'
export { ConnectionError, RequestError, TimeoutError } from './errors.ts'
export { type LiveEvent, pause, type SubscribeOptions } from './events.ts'
export type { components, paths } from './types.ts'
