/** Parses the values of flags and arguments. Each error says what is expected. */
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

/** Returns a parser of an integer from 0 to a maximum. */
export function upTo(maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value <= maximum) return value
    throw new InvalidArgumentError(`Expected an integer of 0 to ${maximum}.`)
  }
}

/** Returns the text of a JSON value unchanged. */
export function json(text: string): string {
  try {
    JSON.parse(text)
    return text
  } catch (error) {
    throw new InvalidArgumentError(`Expected JSON: ${(error as Error).message}.`)
  }
}

/** Parses a time: a date, or a date with a time of day. Returns milliseconds since 1970. */
export function time(text: string): number {
  const ms = Date.parse(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(ms)) return ms
  throw new InvalidArgumentError('Expected a time such as 2026-11-23 or 2026-11-23T08:00:00Z.')
}
