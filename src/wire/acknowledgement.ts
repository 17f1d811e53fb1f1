/** Parses acknowledgements: the status of a message, a result, a reason, a pause. Knows no transport. */
import type { Report } from '../broker/vocabulary/message.ts'
import {
  REPORT_TEXT_LIST,
  REPORT_TEXT_NAMES,
  REPORT_TEXTS,
  type ReportTextName,
  reportTexts,
} from '../broker/vocabulary/report-table.ts'
import { ACK_STATUSES } from '../broker/vocabulary/status.ts'
import { webError } from '../web/errors.ts'
import {
  Anything,
  BROKEN,
  Choice,
  describeSchema,
  Maybe,
  RawJsonValue,
  type Static,
  TOLERATED_TIMES,
  Tolerated,
  Type,
} from '../web/schema.ts'
import { MessageId } from './messages.ts'

/** Maximum bytes of a result. A longer result is dropped. */
export const MAX_RESULT_BYTES = 16_384

const BusySeconds = Type.Integer({
  minimum: 0,
  maximum: 86_400,
  description:
    'no dispatch to the device for this time; 0 ends it. Only with it may `id` be absent; beside an `id`, another value is dropped',
})

const ReportText = Tolerated(Anything({}))

const TEXT_SCHEMAS = Object.fromEntries(
  REPORT_TEXT_LIST.map(({ name, maximum, description, example }) => [
    name,
    Tolerated(
      Anything({
        description: `a text, cut at ${maximum} characters: ${description}; another value is dropped`,
        examples: [example],
      }),
    ),
  ]),
) as Record<ReportTextName, typeof ReportText>

/**
 * A device repeats its command when its acknowledgement is refused, so only `id` and the status can make one invalid.
 */
export type AcknowledgementPayload = Static<typeof AcknowledgementPayload>
export const AcknowledgementPayload = Type.Object(
  {
    id: Type.Optional(MessageId),
    deliveryStatus: Maybe(Choice(ACK_STATUSES)),
    result: Tolerated(
      RawJsonValue({
        description: `any JSON value of at most ${MAX_RESULT_BYTES} bytes: what the command returned; a longer or broken one is dropped`,
        examples: [{ litres: 12 }],
      }),
    ),
    ...TEXT_SCHEMAS,
    busySeconds: Tolerated(Maybe(BusySeconds)),
  },
  { title: 'Acknowledgement' },
)

const TOLERATED = ['result', ...REPORT_TEXT_NAMES, 'busySeconds'] as const

/** Returns the maximum bytes of an acknowledgement, which leaves room for a result to drop. */
export function acknowledgementLimit(bodyLimit: number): number {
  return TOLERATED_TIMES * bodyLimit
}

/** @throws {HttpError} 413 for an acknowledgement above {@link acknowledgementLimit} */
export function checkSize(payload: Uint8Array, bodyLimit: number): void {
  const limit = acknowledgementLimit(bodyLimit)
  if (payload.length <= limit) return
  throw webError(
    'too-large',
    `The payload is larger than ${limit} bytes. Send a smaller one.`,
    {},
    { bytes: limit },
  )
}

/**
 * Returns the id of the acknowledged message; null for a payload with busySeconds alone.
 *
 * @throws {HttpError} 400 when the id is missing
 */
export function acknowledgedId({ id, deliveryStatus, busySeconds }: AcknowledgementPayload): number | null {
  if (id !== undefined) return id
  const isBusyAlone = (busySeconds ?? null) !== null && (deliveryStatus ?? null) === null
  if (isBusyAlone && busySeconds !== BROKEN) return null
  if (isBusyAlone)
    throw webError(
      'bad-keyword',
      `Parameter "busySeconds" is not valid: expected ${describeSchema(BusySeconds)}.`,
    )
  throw webError('bad-keyword', `Parameter "id" is missing: expected ${describeSchema(MessageId)}.`)
}

/** Returns the requested pause of a device in seconds; null without one. */
export function pauseOf({ busySeconds }: AcknowledgementPayload): number | null {
  return busySeconds === BROKEN ? null : (busySeconds ?? null)
}

/**
 * Returns the result and the texts of an acknowledgement; null without any. A report never makes an acknowledgement
 * invalid.
 */
export function toReport(payload: AcknowledgementPayload): Report | null {
  const result = payload.result ?? null
  // Most acknowledgements report nothing. They make no object.
  if (result === null && !REPORT_TEXT_NAMES.some((name) => typeof payload[name] === 'string')) return null
  const texts = reportTexts((name) => textOf(payload[name], REPORT_TEXTS[name].maximum))
  if (result === null) return { ...texts, result: null, resultDropped: false }
  const json = result === BROKEN ? null : result.text
  const resultDropped = json === null || Buffer.byteLength(json) > MAX_RESULT_BYTES
  return { ...texts, result: resultDropped ? null : json, resultDropped }
}

/**
 * Returns whether parts of an acknowledgement are dropped although its status counts. @param report see {@link
 * toReport}
 */
export function isPartial(payload: AcknowledgementPayload, report: Report | null): boolean {
  if (report?.resultDropped === true || payload.busySeconds === BROKEN) return true
  return REPORT_TEXT_NAMES.some((name) => payload[name] === BROKEN)
}

export function brokenMembers(payload: AcknowledgementPayload): string[] {
  return TOLERATED.filter((name) => payload[name] === BROKEN)
}

/** Returns a text of a report, cut at its maximum; null for another value. */
function textOf(value: unknown, maximum: number): string | null {
  if (typeof value !== 'string') return null
  // A lone surrogate has no UTF-8, so the database would return another text.
  const text = value.toWellFormed()
  return text.length <= maximum ? text : [...text].slice(0, maximum).join('')
}
