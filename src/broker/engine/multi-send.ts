/** Sends one command to several devices in one commit. A device's refusal affects only its own line. Knows no HTTP. */
import { createHash } from 'node:crypto'
import type { AuditEntry, AuditStore } from '../../audit/audit.ts'
import { BrokerError, type BrokerErrorCode } from '../vocabulary/errors.ts'
import type { Submission, SubmitKey } from '../vocabulary/message.ts'
import { givenTerms } from '../vocabulary/term-table.ts'
import type { Broker } from './broker.ts'

export interface SentLine {
  readonly deviceId: string
  /** Id of the stored message; null if it was refused. */
  readonly id: number | null
  /** Error that refused the message; null if it was stored. */
  readonly error: BrokerError | null
}

export interface MultiSendParts {
  readonly broker: Pick<Broker, 'enqueue'>
  readonly audit: Pick<AuditStore, 'add' | 'complete'>
}

/**
 * Stores the command for each device. The calls begin in one turn of the event loop, so that they share a commit. A
 * repetition with the same key stores only the missing messages.
 *
 * @param entry line for the audit trail, which gets the number of devices
 * @throws {BrokerError} bad-terms, key-reused and the errors of the storage; the messages of other devices may be stored then
 */
export async function sendToMany(
  { broker, audit }: MultiSendParts,
  command: Omit<Submission, 'deviceId'>,
  deviceIds: readonly string[],
  key: string | null,
  entry: AuditEntry,
): Promise<SentLine[]> {
  const devices = [...new Set(deviceIds)]
  const detail = { ...entry.detail, devices: devices.length }
  const sent = devices.map((deviceId) =>
    sendOne(broker, { ...command, deviceId, idempotency: keyFor(deviceId, key, command) }),
  )
  const [lines, lineId] = await Promise.all([Promise.all(sent), audit.add({ ...entry, detail })])
  const refused = lines.filter(({ id }) => id === null).length
  if (refused > 0) await audit.complete(lineId, { ...detail, refused })
  return lines
}

const OF_DEVICE: readonly BrokerErrorCode[] = ['queue-full', 'too-large-for-device']

async function sendOne(broker: Pick<Broker, 'enqueue'>, submission: Submission): Promise<SentLine> {
  const { deviceId } = submission
  try {
    return { deviceId, id: (await broker.enqueue(submission)).id, error: null }
  } catch (error) {
    if (error instanceof BrokerError && OF_DEVICE.includes(error.code)) return { deviceId, id: null, error }
    throw error
  }
}

/** Returns the key of the message for one device, because each message has its own key. */
function keyFor(
  deviceId: string,
  key: string | null,
  command: Omit<Submission, 'deviceId'>,
): SubmitKey | null {
  if (key === null) return null
  const { command: name, guarantee, data, terms = null } = command
  const hash = (content: readonly unknown[]) =>
    createHash('sha256').update(JSON.stringify(content)).digest('hex')
  return {
    key: hash([key, deviceId]),
    fingerprint: hash([deviceId, name, guarantee, data, givenTerms(terms)]),
  }
}
