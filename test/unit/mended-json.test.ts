/** Tests how much is read of JSON with broken members, for a schema that tolerates some. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mendJson } from '../../src/web/mended-json.ts'
import { Anything, RawJsonValue, Tolerated, Type } from '../../src/web/schema.ts'
import { KeywordValidator } from '../../src/web/validators.ts'
import { runs } from '../_support/runs.ts'

const VALIDATOR = new KeywordValidator(
  Type.Object({
    id: Type.Optional(Type.Integer()),
    status: Type.Optional(Type.String()),
    raw: Tolerated(RawJsonValue()),
    text: Tolerated(Anything()),
  }),
)
const mended = (body: string | Buffer): unknown => {
  const found = mendJson(Buffer.from(body), VALIDATOR)
  return found && [found.json.toString(), ...found.broken]
}

describe('mended', () => {
  test.each([
    [
      'a value that is no JSON',
      '{"id":1,"raw":{"a":[nan, 1]},"status":"x"}',
      ['{"id":1,"status":"x"}', 'raw'],
    ],
    [
      'brackets and quotes inside of strings',
      '{"raw":"]}\\"","id":1,"text":01}',
      ['{"id":1,"raw":"]}\\""}', 'text'],
    ],
    ['white space everywhere', ' {\n"id" :\t1 , "raw" : nan } \0', ['{"id":1}', 'raw']],
    ['a name with an escape', '{"\\u0069d":1,"raw":nan}', ['{"id":1}', 'raw']],
    ['a name twice', '{"id":1,"raw":nan,"id":2}', ['{"id":2}', 'raw']],
    ['the name __proto__', '{"id":1,"__proto__":{"status":"x"},"raw":nan}', ['{"id":1}', 'raw']],
    ['a comma behind the last member', '{"id":1,}', ['{"id":1}']],
    ['padding on both sides', '\0{}\0\0', ['{}']],
    ['cut off with all others there', '{"id":1,"status":"x","raw":[1,', ['{"id":1,"status":"x"}', 'raw']],
    ['cut off in a name', '{"id":1,"status":"x","te', ['{"id":1,"status":"x"}']],
  ])('%s', (_what, body, parts) => {
    expect(mended(body)).toEqual(parts)
  })

  test.each([
    ['no object', '[{"id":1}]'],
    ['empty', ''],
    ['cut off in a member that must be whole', '{"status":"x","id":1'],
    ['cut off, and a member may be missing', '{"id":1,"text":"a'],
    ['a stray quote, and a member may be hidden', '{"id":1,"text":"a" b "}'],
    ['a name without quotes', '{id:1}'],
    ['a name without a colon', '{"id",1}'],
    ['more behind the object', '{"id":1}x'],
  ])('%s → null', (_what, body) => {
    expect(mended(body)).toBeNull()
  })

  test('any bytes, and any change of a valid object → an object, or null; never an endless read', () => {
    const valid = fc.constantFrom(
      '{"id":1,"status":"x","raw":{"a":["b\\"",1]},"text":"é\\n"}',
      '{"id":7,"text":"a"}',
    )
    const changed = fc
      .tuple(valid, fc.nat(60), fc.uint8Array({ maxLength: 4 }), fc.nat(4))
      .map(([text, at, bytes, cut]) => {
        const body = Buffer.from(text)
        return Buffer.concat([body.subarray(0, at), bytes, body.subarray(at + cut)])
      })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
          changed,
        ),
        (body) => {
          const found = mendJson(body, VALIDATOR)
          if (found === null) return
          const text = found.json.toString()
          // A member that must be whole is passed on as it was sent, so that the strict parser decides about it.
          if (!/"(?:id|status)":/.test(text)) expect(JSON.parse(text)).toBeInstanceOf(Object)
        },
      ),
      { numRuns: runs(200) },
    )
  })
})
