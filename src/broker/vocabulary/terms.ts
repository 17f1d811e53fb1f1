/** Checks the terms of a message, and applies the defaults of its device and of the server. Pure. */
import type { DeviceSettings } from './device-settings.ts'
import { BrokerError } from './errors.ts'
import type { Guarantee } from './status.ts'
import { NO_TERMS, type Terms } from './term-table.ts'

/** Refuses contradictory terms. @throws {BrokerError} bad-terms */
export function checkTerms({ validSeconds, finishSeconds, delaySeconds }: Terms, guarantee: Guarantee): void {
  if (finishSeconds !== null && guarantee === 'NO') {
    throw new BrokerError(
      'bad-terms',
      'A message with guarantee NO has no status after DELIVERED. Omit finishSeconds, or choose another guarantee.',
    )
  }
  if (delaySeconds === null || validSeconds === null || delaySeconds < validSeconds) return
  throw new BrokerError(
    'bad-terms',
    `The delay of ${delaySeconds} s is not less than the validity of ${validSeconds} s, so the message could never be dispatched. Shorten the delay, or prolong the validity.`,
  )
}

/**
 * Returns the terms of a message with all defaults applied; null if nothing limits the message.
 *
 * @param own the terms as the client sent them
 * @param validSeconds general validity; 0 means no end
 */
export function withDefaults(
  own: Terms | null,
  guarantee: Guarantee,
  settings: Pick<DeviceSettings, 'validSeconds' | 'finishSeconds'>,
  validSeconds: number,
): Terms | null {
  const finish = guarantee === 'NO' ? null : settings.finishSeconds
  const valid = settings.validSeconds ?? (validSeconds || null)
  if (finish === null && valid === null) return own
  const terms = own ?? NO_TERMS
  // The default validity of a delayed message starts when its delay ends.
  const total = valid === null ? null : valid + (terms.delaySeconds ?? 0)
  return {
    ...terms,
    validSeconds: terms.validSeconds ?? total,
    finishSeconds: terms.finishSeconds ?? finish,
  }
}

/** Refuses contradictory settings of a device. @throws {BrokerError} bad-terms */
export function checkSettings({ nextAfter, finishSeconds }: DeviceSettings): void {
  if (nextAfter !== 'COMPLETED' || finishSeconds !== null) return
  throw new BrokerError(
    'bad-terms',
    'With nextAfter COMPLETED a command that the device never finishes would hold its queue. Give finishSeconds too.',
  )
}
