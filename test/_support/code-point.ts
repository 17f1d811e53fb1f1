/** Any character of Unicode, as a unit of random texts. The unit `binary` of fast-check takes 1.4 seconds to build. */
import fc from 'fast-check'

const MAX = 0x10ffff
/** Surrogates are not characters. */
const [SURROGATES, SURROGATES_COUNT] = [0xd800, 0x800]

const any = fc
  .nat({ max: MAX - SURROGATES_COUNT })
  .map((n) => String.fromCodePoint(n < SURROGATES ? n : n + SURROGATES_COUNT))

/** Half of the characters are of one byte, such as control characters. */
export const codePoint = fc.oneof(
  fc.string({ minLength: 1, maxLength: 1 }),
  fc.nat({ max: 0xff }).map((n) => String.fromCharCode(n)),
  any,
  any,
)
