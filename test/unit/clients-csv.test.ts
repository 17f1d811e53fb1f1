/** Tests which files the import of clients reads: encodings, separators, names of the id, rows without a value. */
import { describe, expect, test } from 'vitest'
import { parseClientsCsv } from '../../src/wire/clients-csv.ts'

const CYRILLIC = 'насос-1'
/** The bytes of a text in Windows-1251, which Node does not write. */
const inWindows1251 = (text: string): Buffer =>
  Buffer.from([...text].map((letter) => toWindows1251(letter.codePointAt(0) as number)))

function toWindows1251(code: number): number {
  if (code === 0x401) return 0xa8
  return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code
}

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')
const entriesOf = (file: string | Buffer): unknown[] =>
  parseClientsCsv(Buffer.from(file as string)).lines.map((line) => ('entry' in line ? line.entry : line))
const refusalOf = (file: Buffer): unknown => {
  try {
    return parseClientsCsv(file)
  } catch (error) {
    return error
  }
}

describe('encoding', () => {
  const csv = `deviseId;description\r\n${CYRILLIC};Насос в подвале\r\n`

  test.each([
    ['UTF-8', Buffer.from(csv)],
    ['UTF-8', Buffer.from(`\ufeff${csv}`)],
    ['UTF-16', utf16(csv)],
    ['UTF-16', utf16(csv).swap16()],
    ['Windows-1251', inWindows1251(csv)],
    ['Windows-1251', inWindows1251(csv.replace('Насос в подвале', 'ВСЁ'))],
  ])('%s → read, and named', (encoding, file) => {
    const read = parseClientsCsv(file)
    expect(read.encoding).toBe(encoding)
    expect(read.lines).toMatchObject([{ line: 2, entry: { deviceId: CYRILLIC } }])
  })

  test.each([
    [
      'UTF-8 with a mark and a broken character',
      Buffer.concat([Buffer.from('\ufeffdeviseId\n'), Buffer.of(0xd0)]),
    ],
    ['UTF-8 that was cut off', Buffer.from(csv).subarray(0, -3)],
    ['UTF-16 with half a character', utf16('deviseId\na').subarray(0, -1)],
    ['a workbook', Buffer.from('504b030414000600ff00d0', 'hex')],
  ])('%s → refused', (_what, file) => {
    expect(refusalOf(file)).toMatchObject({
      status: 400,
      message: 'The file is no text in UTF-8, UTF-16 or Windows-1251. Save it as CSV in UTF-8.',
      options: { code: 'csv-not-text' },
    })
  })
})

describe('separator', () => {
  test.each([
    ['tabs', 'deviseId\tdescription\na\tb, c; d\n'],
    ['a first line sep=;', 'sep=;\r\ndeviseId;description\r\na;b, c; d\r\n'.replace('b, c; d', '"b, c; d"')],
    ['a quoted first line sep=;', '"sep=;"\ndeviseId;description\na;"b, c; d"\n'],
    ['a first line sep=|', 'SEP=|\ndeviseId|description\na|b, c; d\n'],
  ])('%s → read', (_what, csv) => {
    expect(entriesOf(csv)).toEqual([{ deviceId: 'a', description: 'b, c; d' }])
  })

  test('sep= → lines keep the number that the file gives them', () => {
    expect(parseClientsCsv(Buffer.from('sep=,\ndeviseId\nfirst\n')).lines).toMatchObject([{ line: 3 }])
  })
})

describe('header', () => {
  test.each(['id', 'device', 'deviceId', 'deviseId', 'DeviceID', ' ID '])(
    '%j → the id of the client',
    (name) => {
      expect(entriesOf(`${name},Role\npump,MAN\n`)).toEqual([{ deviceId: 'pump', role: 'MAN' }])
    },
  )

  test('two names of the id → refused', () => {
    expect(refusalOf(Buffer.from('id,deviseId\n1,pump\n'))).toMatchObject({
      options: { code: 'csv-columns' },
    })
  })
})

test('rows of empty cells → skipped, and not counted', () => {
  const { lines } = parseClientsCsv(Buffer.from('deviseId,role\n,\n a,\n  , \t\n,,,\n\nb,MAN\n,'))
  expect(lines.map(({ line }) => line)).toEqual([3, 7])
})

test('a leading apostrophe: that of a formula → removed, but never from a password', () => {
  expect(entriesOf("deviseId,password,description,devices\n'=id,'=x,'+1,'-valve b\n")).toEqual([
    { deviceId: '=id', password: "'=x", description: '+1', devices: ['-valve', 'b'] },
  ])
})
