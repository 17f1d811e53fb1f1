/** Checks the device ids of clients. A queue may have any other id, even with white space at its ends. */
import { AccountError } from './errors.ts'

export function isPadded(text: string): boolean {
  return text.trim() !== text
}

/** Returns why a client cannot have a device id with white space at its ends; null for any other id. */
export function paddingProblem(deviceId: string): string | null {
  return isPadded(deviceId)
    ? `The deviseId "${deviceId}" begins or ends with white space. Remove the white space.`
    : null
}

/** Checks the device id of a created or renamed client. @throws {AccountError} padded-device-id */
export function checkNewDeviceId(deviceId: string): void {
  const problem = paddingProblem(deviceId)
  if (problem !== null) throw new AccountError('padded-device-id', problem, { deviseId: deviceId })
}
