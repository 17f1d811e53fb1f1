/** Exports of the package `waybill`: the framework, and the types of what the broker shares with endpoint files. */
export type {
  CancelOptions,
  EnqueueResult,
  MessageChange,
  MessageView,
  NewCommand,
  SharedBroker,
  SharedServices,
  Uses,
} from './app/shared-services.ts'
export * from './framework.ts'
