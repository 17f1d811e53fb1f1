/** Schema of the answer to a command for several devices, and its conversion. Not a route. */
import type { SentLine } from '../../../src/broker/engine/multi-send.ts'
import { Type } from '../../../src/web/schema.ts'
import { DeviceId, MessageId } from '../../../src/wire/messages.ts'
import { Nullable, TextLike } from '../../_schemas.ts'

export const SentLinesAnswer = Type.Array(
  Type.Object(
    {
      deviseId: DeviceId,
      id: Nullable(MessageId),
      code: Nullable(TextLike('queue-full')),
      params: Type.Object(
        {},
        { additionalProperties: true, description: 'values that the text of the error names' },
      ),
    },
    { title: 'SentLine' },
  ),
)

export function toSentLines(lines: readonly SentLine[]) {
  return lines.map(({ deviceId, id, error }) => ({
    deviseId: deviceId,
    id,
    code: error?.code ?? null,
    params: error?.params ?? {},
  }))
}
