/**
 * Maps the codes of the broker's errors to HTTP responses. A test compares the table of errors in docs/rest.md with
 * this table.
 */
import type { AccountErrorCode, TooManyFailures } from '../auth/errors.ts'
import { MAX_KEYS } from '../auth/errors.ts'
import { ACCEPTED_COSTS } from '../auth/password-hash.ts'
import type { BrokerErrorCode, HandedOver, StatusConflict } from '../broker/vocabulary/errors.ts'
import { type ErrorEntry, RETRY_AFTER } from '../web/errors.ts'
import { Type } from '../web/schema.ts'
import { DeliveryStatus } from './messages.ts'

type Code =
  | BrokerErrorCode
  | AccountErrorCode
  | 'wrong-credentials'
  | 'other-client'
  | 'too-many-failures'
  | 'too-many-logins'
  | 'starting'
  | 'foreign-origin'
  | 'wrong-host'

const retryAfter = (seconds: number) => ({
  headers: () => ({ 'retry-after': String(seconds) }),
  gives: RETRY_AFTER,
})

const STATUS_NOW = { fields: { deliveryStatus: DeliveryStatus } }

export const errors: Record<Code, ErrorEntry> = {
  'bad-message': {
    status: 400,
    when: 'an endpoint gave `this.services.broker` a message, or the id of one, that REST would refuse; the text names the member',
  },
  'unknown-message': {
    status: 404,
    when: 'no message has that id, it is for another device, or the client may not read it',
    params: ['id'],
  },
  'unknown-template': { status: 404, when: 'no template has that id', params: ['id'] },
  'in-service': { status: 404, when: 'the device to return to service is in service', params: ['id'] },
  'unknown-note': { status: 404, when: 'the device has no note with that id', params: ['id'] },
  'too-many-notes': { status: 409, when: 'the device has 50 notes', params: ['limit'] },
  'unknown-incident': { status: 404, when: 'there is no incident with that id', params: ['id'] },
  'incident-ended': { status: 409, when: 'the incident has ended', params: ['id'] },
  'bad-rule': { status: 400, when: 'a threshold of an incident rule is outside its bounds' },
  'unknown-alert': { status: 404, when: 'no present alert has that key', params: ['key'] },
  'status-conflict': {
    status: 409,
    when: 'the message has another final status already; the body names it in `deliveryStatus`',
    params: ['id', 'status'],
    fields: (error: StatusConflict) => ({ deliveryStatus: error.status }),
    gives: STATUS_NOW,
  },
  'handed-over': {
    status: 409,
    when: 'the message to cancel or to replace was dispatched already; the body has its status in `deliveryStatus`, and the number of its attempts in `attempts`',
    params: ['id', 'status'],
    fields: ({ status, attempts }: HandedOver) => ({ deliveryStatus: status, attempts }),
    gives: { fields: { ...STATUS_NOW.fields, attempts: Type.Integer({ minimum: 0 }) } },
  },
  'not-unknown': {
    status: 409,
    when: 'the message to replay is not `UNKNOWN`, or has the guarantee `NO`',
    params: ['id'],
  },
  expired: { status: 409, when: 'the validity of the message to replay is over', params: ['id'] },
  'still-pending': {
    status: 409,
    when: 'the message to send again is still pending, and `force` is not true',
    params: ['id'],
  },
  'bad-terms': {
    status: 400,
    when: 'durations contradict each other, a message with guarantee `NO` has a finish time, `nextAfter` is `COMPLETED` without `finishSeconds`, or the end of a time out of service is not ahead, by a year at most',
  },
  'bad-range': {
    status: 400,
    when: 'a range is empty, has more than 750 steps (statistics), 366 days (presence and log) or 31 days (hand-over), or begins at an earlier sign-in that is not known; the end of a mute is in the past, or more than 30 days ahead',
  },
  'key-reused': { status: 422, when: 'the idempotency key was used with other content' },
  'queue-full': {
    status: 429,
    when: 'the device has the maximum number of pending messages, or of their bytes; with `?details=true` the body has `waiting`, `limit`, `bytes` and `limitBytes`',
    params: ['waiting', 'limit'],
    ...retryAfter(1),
  },
  'too-large-for-device': {
    status: 413,
    when: 'command and data of a message have more bytes than `maxBytes` of its device',
    params: ['bytes', 'maximum'],
  },
  'unknown-bulk': {
    status: 404,
    when: 'none of the last 20 actions on many messages since the start of the server has that id',
    params: ['id'],
  },
  'bulk-running': { status: 409, when: 'another action on many messages is running' },
  'wrong-credentials': { status: 401, when: 'the device id or the password is wrong' },
  'other-client': {
    status: 403,
    when: 'with `APP_SECURITY_OWN_QUEUE_ONLY`, the queue or the producer of the birth certificate belongs to another client',
  },
  'foreign-origin': {
    status: 403,
    when: 'with `APP_SECURITY_PERMIT_ALL`, a web page of another origin sent the request, and `server.cors-origins` does not name it',
  },
  'wrong-host': {
    status: 421,
    when: 'with `APP_SECURITY_PERMIT_ALL` on a loopback address, the `Host` is no loopback name, and `server.cors-origins` does not name it',
  },
  'too-many-failures': {
    status: 429,
    when: 'too many failed logins of this client from this address',
    params: ['seconds'],
    headers: (error: TooManyFailures) => ({ 'retry-after': String(error.retryAfterSec) }),
    gives: RETRY_AFTER,
  },
  'too-many-logins': {
    status: 503,
    when: 'too many logins wait for their check',
    ...retryAfter(5),
  },
  starting: {
    status: 503,
    when: 'a login before the first admin exists, which takes a moment at the first start',
    ...retryAfter(1),
  },
  'unknown-client': { status: 404, when: 'no client has that id', params: ['id'] },
  'client-exists': { status: 409, when: 'another client has that `deviseId`', params: ['deviseId'] },
  'padded-device-id': {
    status: 400,
    when: 'the `deviseId` of a new client begins or ends with white space',
    params: ['deviseId'],
  },
  'last-admin': {
    status: 409,
    when: 'the change would delete the last client with role `MAN` or take the role from it',
    params: ['deviseId'],
  },
  'no-device': {
    status: 400,
    when: 'the client of a new template has another role than `DEVISE`',
    params: ['id'],
  },
  'unknown-import': {
    status: 404,
    when: 'none of the last 20 imports of clients since the start of the server has that id',
    params: ['id'],
  },
  'unknown-key': { status: 404, when: 'the client has no API key with that id', params: ['id'] },
  'too-many-keys': { status: 409, when: `the client has ${MAX_KEYS} API keys already`, params: ['maximum'] },
  'expires-in-past': { status: 400, when: 'the `expiresDate` of a new API key is in the past' },
  'import-running': { status: 409, when: 'another import of clients is running' },
  'password-too-long': {
    status: 400,
    when: 'a new password has more than 72 bytes of UTF-8',
    params: ['maximum'],
  },
  'password-has-nul': { status: 400, when: 'a new password has a NUL (U+0000)' },
  'password-hash-cost': {
    status: 400,
    when: `the password of a new client is a bcrypt hash whose cost is not ${ACCEPTED_COSTS}`,
    params: ['cost', 'accepted'],
  },
  'password-is-hash': { status: 400, when: 'the new password of a client that exists is a bcrypt hash' },
  'unknown-connection': { status: 404, when: 'no open connection has that id', params: ['id'] },
  'too-many-streams': {
    status: 503,
    when: 'the maximum number of event streams is open',
    ...retryAfter(10),
  },
  'backup-running': {
    status: 409,
    when: 'another backup is being made or downloaded',
    ...retryAfter(10),
  },
  'export-running': {
    status: 409,
    when: 'two exports of messages are being downloaded',
    ...retryAfter(10),
  },
  'backup-elsewhere': { status: 501, when: 'the database makes its own backups' },
  'backup-no-room': { status: 503, when: 'the disk has no room for a backup beside the database' },
  'storage-full': {
    status: 503,
    when: 'the disk is full, or has less than 50 MiB for a submit; nothing was stored',
    ...retryAfter(1),
  },
  'storage-busy': {
    status: 503,
    when: 'another program holds the database, or too many requests wait for it; nothing was stored',
    ...retryAfter(5),
  },
  'storage-away': {
    status: 503,
    when: 'the database does not answer; repeat a submit with its `Idempotency-Key`, since it may have been stored',
    ...retryAfter(1),
  },
  'storage-failed': { status: 503, when: 'the disk failed; nothing is stored until a restart' },
  'storage-closed': { status: 503, when: 'the server is shutting down', ...retryAfter(5) },
}

/** Codes of the storage errors that every message handler can cause. */
export const STORAGE_ERRORS = [
  'storage-full',
  'storage-busy',
  'storage-away',
  'storage-failed',
  'storage-closed',
] as const
