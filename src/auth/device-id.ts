/** Checks the device ids that clients are given. A queue may have any other id, white space at its ends included. */
import { AccountError } from './errors.ts'

/** Tells whether a text begins or ends with white space. */
export function isPadded(text: string): boolean {
  return text.trim() !== text
}

/** Returns why a client cannot be given a device id with white space at its ends; null for any other id. */
export function paddingProblem(deviceId: string): string | null {
  return isPadded(deviceId)
    ? `The deviseId "${deviceId}" begins or ends with white space. Remove the white space.`
    : null
}

/** Checks the device id of a client that is created or renamed. @throws {AccountError} padded-device-id */
export function checkNewDeviceId(deviceId: string): void {
  const problem = paddingProblem(deviceId)
  if (problem !== null) throw new AccountError('padded-device-id', problem, { deviseId: deviceId })
}
