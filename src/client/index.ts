/** Public exports of `waybill/client`. */
export {
  FINAL_STATUSES,
  isEnded,
  STATUS_KINDS,
  STATUSES,
  type StatusKind,
} from '../broker/vocabulary/status.ts'
export { Client } from './client.ts'
export { DeviceCalls } from './devices.ts'
export { ConnectionError, RequestError, TimeoutError } from './errors.ts'
export { type LiveEvent, pause, type SubscribeOptions } from './events.ts'
export type {
  AcknowledgeOptions,
  AckStatus,
  CancelAllOptions,
  CancelAllResult,
  CancelOptions,
  CancelResult,
  ClientOptions,
  ConsumerMessage,
  DeliveryGuarantee,
  DeliveryStatus,
  DeviceNote,
  DeviceService,
  DeviceSettings,
  Handover,
  HandoverQuery,
  HandoverTextQuery,
  LoginResult,
  Message,
  MessageDetail,
  MessageQuery,
  MessageReport,
  NewDeviceService,
  NewDeviceSettings,
  PollOptions,
  ProducerMessageResult,
  SendOptions,
  WaitOptions,
} from './options.ts'
export type { components, paths } from './types.ts'
