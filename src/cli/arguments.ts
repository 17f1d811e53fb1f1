/** Values of flags that are no text. */
import { InvalidArgumentError } from 'commander'

/** A time in seconds, in fractions too. */
export function seconds(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value <= 1e9) return value
  throw new InvalidArgumentError('Expected a number of seconds.')
}

export function count(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('Expected a positive integer.')
}
