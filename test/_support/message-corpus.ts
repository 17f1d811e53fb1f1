/** Messages of producers: data that must arrive byte for byte, and bodies that must be refused. */

/** Texts that must arrive byte for byte. */
export const DATA = [
  '{}',
  '{"n":1.0}',
  '{"n":9007199254740993}',
  '{"n":-0,"big":1e400,"small":1E-400,"long":0.1000000000000000000001}',
  '{"b":1,"a":2,"10":3,"2":4}',
  '{"twice":1,"twice":2}',
  '{ "spaces" :\t[ 1 ,\n 2 ] ,\r\n"x" : { } }',
  String.raw`{"escapes":"\u00e9\/\ud83d\ude00\n\"}],","half":"\ud800"}`,
  '{"text":"é 😀 \u2028","ключ":null}',
  '{"__proto__":{"a":1},"constructor":{},"data":{"data":{}}}',
  `{"deep":${'[{"x":'.repeat(50)}1${'}]'.repeat(50)}}`,
]

/** Bodies that REST refuses with 400, and words of the message. */
export const BAD_MESSAGES: readonly (readonly [body: string, message: RegExp])[] = [
  ['{}', /"command" is missing/],
  ['{"command":null}', /"command".*1 to 255 characters/],
  ['{"command":""}', /"command".*1 to 255 characters/],
  [JSON.stringify({ command: 'c'.repeat(256) }), /"command".*1 to 255 characters/],
  ['{"command":1}', /"command"/],
  ['{"command":"\\ud800"}', /"command"/],
  ['{"command":"c","data":[]}', /"data".*a JSON object/],
  ['{"command":"c","data":"{}"}', /"data".*a JSON object/],
  ['{"command":"c","data":1}', /"data".*a JSON object/],
  ['{"command":"c","believerGuarantee":"no"}', /"believerGuarantee".*NO, RECEIPT_CONFIRMATION, ONLY_LAST/],
  ['{"command":"c","believerGuarantee":0}', /"believerGuarantee"/],
  ['{"command":"c","messageBirthCertificate":1}', /"messageBirthCertificate"/],
  ['{"command":"c","messageBirthCertificate":{"tmpId":"1"}}', /"messageBirthCertificate/],
  ['{"command":"c","messageBirthCertificate":{"tmpId":1.5}}', /"messageBirthCertificate/],
  ['{"command":"c","messageBirthCertificate":{"tmpId":9007199254740992}}', /"messageBirthCertificate/],
  ['{"command":"c","messageBirthCertificate":{"producerDeviseId":0}}', /"messageBirthCertificate/],
  ['{"command":"c"', /not valid JSON/],
  ['[{"command":"c"}]', /must be a JSON object/],
  ['"c"', /must be a JSON object/],
]
