/** Parses the values of flags and arguments. Each error names the expected form. */
import { InvalidArgumentError } from 'commander'

/** Parses a time in seconds, such as `0.5`. */
export function seconds(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value <= 1e9) return value
  throw new InvalidArgumentError('Expected a number of seconds, such as 0.5.')
}

export function count(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('Expected a positive integer.')
}

/** Returns a parser for integers from 0 to a maximum. */
export function upTo(maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value <= maximum) return value
    throw new InvalidArgumentError(`Expected an integer of 0 to ${maximum}.`)
  }
}
