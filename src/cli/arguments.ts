/** Parses the values of flags that are numbers. */
import { InvalidArgumentError } from 'commander'

/** Parses a time in seconds, such as `0.5`. */
export function seconds(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value <= 1e9) return value
  throw new InvalidArgumentError('Expected a number of seconds, such as 0.5.')
}

/** Parses a positive integer. */
export function count(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('Expected a positive integer.')
}
