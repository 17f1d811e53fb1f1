/** /admin/api/handover: reports what changed since a time, for the next shift. */
import { handoverText } from '../../../src/broker/handover/handover-text.ts'
import { wordsOf } from '../../../src/broker/handover/words.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint, Reply } from '../../../src/web/endpoint.ts'
import { Type } from '../../../src/web/schema.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { HandoverAnswer, HandoverParameters, toHandoverAnswer } from './_handover.ts'

export const tag = { name: 'Hand-over', description: 'What changed since a time, for the next shift' }

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }

export class Default extends Endpoint<UsesOwn<'handover' | 'clients'>> {
  static access = ['MAN', 'READER']
  static headers = ['accept']
  static keywords = { GET: HandoverParameters }
  static operationId = { GET: 'getHandover' }
  static summary = 'Show what changed since a time; a text to paste if Accept is text/plain'
  static responses = { GET: Type.Union([HandoverAnswer, Type.String({ contentMediaType: 'text/plain' })]) }
  static errors = { GET: ['bad-range', ...STORAGE_ERRORS] }

  async GET({ from, to, language, utcOffset }: HandoverParameters) {
    const { handover, clients } = this.services
    const clientId = clients.byDevice(this.call.identity?.id ?? '')?.id ?? null
    const found = await handover.read({ from, to, clientId })
    if (!/\btext\/plain\b/i.test(this.call.headers.accept ?? '')) return toHandoverAnswer(found)
    const offsetOfServer = -new Date(found.toMs).getTimezoneOffset()
    const options = { words: wordsOf(language), utcOffset: utcOffset ?? offsetOfServer }
    return new Reply(200, handoverText(found, options), { headers: TEXT })
  }
}
