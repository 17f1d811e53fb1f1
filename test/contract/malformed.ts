/** Malformed HTTP/1.1 requests (RFC 9112), and requests whose end two servers may see in different places. Data only. */

/** A request hidden behind or inside another. No server may read it as a request of its own. */
export const HIDDEN = 'GET /echo?hidden=1 HTTP/1.1\r\nhost: test\r\n\r\n'
const SIZE = HIDDEN.length

type Requests = Readonly<Record<string, string | Uint8Array>>

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const line = (first: string): Uint8Array => latin1(`${first}\r\nhost: test\r\n\r\n`)
const get = (headers: string): Uint8Array => latin1(`GET /echo HTTP/1.1\r\nhost: test\r\n${headers}\r\n\r\n`)
const post = (headers: string, body = ''): Uint8Array =>
  latin1(`POST /echo HTTP/1.1\r\nhost: test\r\n${headers}\r\n\r\n${body}${HIDDEN}`)
const chunks = (body: string): Uint8Array => post('transfer-encoding: chunked', body)

/** Request lines and headers without a clear end or meaning. */
export const UNREADABLE: Requests = {
  'no request line': 'hello\r\n\r\n',
  'the beginning of TLS': Buffer.from('16030100a5010000a10303', 'hex'),
  'the beginning of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'bytes of zero': Buffer.alloc(64),
  'no version': line('GET /echo'),
  'HTTP/1.2': line('GET /echo HTTP/1.2'),
  'HTTP/2.0': line('GET /echo HTTP/2.0'),
  'HTTP/11': line('GET /echo HTTP/11'),
  'a version with more behind it': line('GET /echo HTTP/1.1x'),
  'a version in lower case': line('GET /echo http/1.1'),
  'another protocol': line('GET /echo FTP/1.1'),
  'tabs for spaces': line('GET\t/echo\tHTTP/1.1'),
  'a space in the target': line('GET /ec ho HTTP/1.1'),
  'a space before the method': line(' GET /echo HTTP/1.1'),
  'no target': line('GET HTTP/1.1'),
  'a target that is no path': line('GET echo HTTP/1.1'),
  CONNECT: line('CONNECT test:80 HTTP/1.1'),
  'NUL in the target': line('GET /echo\0 HTTP/1.1'),
  'a control character in the target': line('GET /ec\x01ho HTTP/1.1'),
  'lines that end in LF': 'GET /echo HTTP/1.1\nhost: test\n\n',
  'a header that ends in LF': get('a: b\nc: d'),
  'a header that ends in CR': get('a: b\rc: d'),
  'lines that end in CR': 'GET /echo HTTP/1.1\rhost: test\r\r',
  'a header without a colon': get('nonsense'),
  'a header that begins with a space': latin1(`GET /echo HTTP/1.1\r\n a: b\r\nhost: test\r\n\r\n`),
  'a header that is folded': get('a: b\r\n c'),
  'a space before a colon': get('a : b'),
  'a length with a space before its colon': post(`content-length : ${SIZE}`),
  'a length with a tab before its colon': post(`content-length\t: ${SIZE}`),
  'chunks with a space before their colon': post('transfer-encoding : chunked', '0\r\n\r\n'),
  'a length in a folded line': post(`a: b\r\n content-length: ${SIZE}`),
  'chunks in a folded line': post('transfer-encoding:\r\n chunked', '0\r\n\r\n'),
  'NUL in the name of a header': get('a\0b: c'),
  'NUL in the value of a header': get('a: b\0c'),
  'a control character in a header': get('a: b\x01c'),
  'a header name that is no token': get('a(): b'),
  'a header name that is no ASCII': get('\xff: b'),
  'a length that ends in NUL': post('content-length: 2\0', '{}'),
  'a length that begins with a vertical tab': post('content-length: \x0b2', '{}'),
  'chunked, ending in NUL': post('transfer-encoding: chunked\0', '0\r\n\r\n'),
  'chunked, beginning with a vertical tab': post('transfer-encoding: \x0bchunked', '0\r\n\r\n'),
  'a chunk that ends in CR': chunks('2\r{}\r0\r\r'),
  'chunks in HTTP/1.0': `POST /echo HTTP/1.0\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
}

/** Bytes that are no request line, as a client of another protocol sends them. */
export const GARBAGE: Requests = {
  ...Object.fromEntries(
    ['no request line', 'the beginning of TLS', 'the beginning of HTTP/2', 'bytes of zero'].map((what) => [
      what,
      UNREADABLE[what] as string | Uint8Array,
    ]),
  ),
  'a whole TLS hello': Buffer.concat([Buffer.from('16030100a5010000a10303', 'hex'), Buffer.alloc(155, 7)]),
  'the beginning of MQTT': Buffer.from('101000044d5154540402003c000461626364', 'hex'),
  'the beginning of SSH': 'SSH-2.0-OpenSSH_9.6\r\n',
  'arbitrary bytes': Buffer.from('8f12fe0033aa0d0a0d0a', 'hex'),
  'the beginning of a method': 'GE\r\n\r\n',
  'a method and tabs': 'GETX\t/echo\tHTTP/1.1\r\nhost: test\r\n\r\n',
}

/** Heads that can be parsed and are wrong. */
export const WRONG: Requests = {
  'a method in lower case': line('get /echo HTTP/1.1'),
  'a method that is no token': line('G@T /echo HTTP/1.1'),
  'a target that is no ASCII': line('GET /ec\xffho HTTP/1.1'),
  'a target with a bare umlaut': Buffer.from('GET /echü HTTP/1.1\r\nhost: test\r\n\r\n'),
  'a query that is no ASCII': line('GET /echo?a=\xff HTTP/1.1'),
  'DEL in the target': line('GET /ec\x7fho HTTP/1.1'),
  'two hosts': get('host: other'),
  'no host': 'GET /echo HTTP/1.1\r\na: b\r\n\r\n',
  'a header of 300 KB': get(`a: ${'b'.repeat(300_000)}`),
  'two lengths that agree': post('content-length: 2\r\ncontent-length: 2', '{}'),
  'two lengths, the second one longer': post(`content-length: 0\r\nContent-Length: ${SIZE}`),
  'two lengths, the first one longer': post(`content-length: ${SIZE}\r\nCONTENT-LENGTH: 0`),
  'a list of lengths': post('content-length: 2, 2', '{}'),
  'a list of lengths that differ': post(`content-length: 0, ${SIZE}`),
  'an empty length': post('content-length:'),
  'a length of blanks': post('content-length:   '),
  'a length with a sign': post('content-length: +2', '{}'),
  'a negative length': post('content-length: -2', '{}'),
  'a length of -0': post('content-length: -0'),
  'a length in hexadecimal': post('content-length: 0x2', '{}'),
  'a length with a fraction': post('content-length: 2.0', '{}'),
  'a length with an exponent': post('content-length: 2e0', '{}'),
  'a length in words': post('content-length: two', '{}'),
  'a length in quotes': post('content-length: "2"', '{}'),
  'two numbers as a length': post('content-length: 2 2', '{}'),
  ...Object.fromEntries(
    ['1000000000000', '4294967298', '9007199254740993', '9223372036854775808', '18446744073709551618'].map(
      (length) => [`a length of ${length}`, post(`content-length: ${length}`, '{}')],
    ),
  ),
  'a length of 400 digits': post(`content-length: ${'9'.repeat(400)}`, '{}'),
  'a length before chunks': post('content-length: 5\r\ntransfer-encoding: chunked', '0\r\n\r\n'),
  'chunks before a length': post('transfer-encoding: chunked\r\ncontent-length: 5', '0\r\n\r\n'),
  'a length of 0 before chunks': post('content-length: 0\r\ntransfer-encoding: chunked', '0\r\n\r\n'),
  'chunked, in two headers': post('transfer-encoding: chunked\r\ntransfer-encoding: chunked', '0\r\n\r\n'),
  'identity and chunked, in two headers': post(
    'transfer-encoding: identity\r\ntransfer-encoding: chunked',
    '0\r\n\r\n',
  ),
  'identity beside a length': post('transfer-encoding: identity\r\ncontent-length: 2', '{}'),
  ...Object.fromEntries(
    [
      'identity',
      'xchunked',
      'chunked, identity',
      'gzip, chunked',
      'chunked, chunked',
      '"chunked"',
      'chunked;a=b',
      ',chunked',
      '',
    ].map((coding) => [`transfer coding <${coding}>`, post(`transfer-encoding: ${coding}`, '0\r\n\r\n')]),
  ),
}

/** Chunks with a fault that every parser detects. */
export const BROKEN_CHUNKS: Requests = {
  'a size of 2^64': chunks('10000000000000000\r\n{}\r\n0\r\n\r\n'),
  'a size of 2^64 + 2': chunks('10000000000000002\r\n{}\r\n0\r\n\r\n'),
  'a size that is no number': chunks('xyz\r\n{}\r\n0\r\n\r\n'),
  'a size with 0x': chunks('0x2\r\n{}\r\n0\r\n\r\n'),
  'a size with a sign': chunks('+2\r\n{}\r\n0\r\n\r\n'),
  'a negative size': chunks('-2\r\n{}\r\n0\r\n\r\n'),
  'lines that end in LF': chunks('2\n{}\n0\n\n'),
  'a size that is too large': chunks('5\r\n{}\r\n0\r\n\r\n'),
  'an extension of 100 KB': chunks(`2;${'a'.repeat(100_000)}\r\n{}\r\n0\r\n\r\n`),
}

/** Chunks with a small fault. A parser that accepts them must at least end the connection. */
export const SLOPPY_CHUNKS: Requests = {
  'no size': chunks('\r\n{}\r\n0\r\n\r\n'),
  'a space before the size': chunks(' 2\r\n{}\r\n0\r\n\r\n'),
  'a space behind the size': chunks('2 \r\n{}\r\n0\r\n\r\n'),
  'two sizes': chunks('2 2\r\n{}\r\n0\r\n\r\n'),
  'a size that is too small': chunks('2\r\n{}xx\r\n0\r\n\r\n'),
  'other bytes behind a chunk': chunks('2\r\n{}xx0\r\n\r\n'),
  'other bytes behind the last chunk': chunks('2\r\n{}\r\n0\r\nxx'),
  'a length behind the last chunk': chunks(`2\r\n{}\r\n0\r\ncontent-length: ${SIZE}\r\n\r\n`),
}

/** Sizes that fit into 64 bits and into no memory. */
export const HUGE_CHUNKS = ['e8d4a51000', '100000002', '8000000000000000', 'ffffffffffffffff'] as const
