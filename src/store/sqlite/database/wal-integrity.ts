/**
 * Finds damage in a write-ahead log. SQLite treats a damaged frame as the end of the log, and drops all later frames
 * without an error. The check only reads.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

/*
 * The format (sqlite.org/fileformat2.html#walformat): a header, then frames of one page each. The checksum of a frame
 * continues the checksum of the frame before. Each round through the file has its own pair of salts. Frames of older
 * rounds remain behind the end of the present round.
 *
 * A power cut tears the last transaction only, since each transaction is synced before the next one is written. No
 * caller was answered for the last one. Any of its pages may be on disk. So behind the first bad frame there is at most
 * one commit of this round, and otherwise only frames of older rounds and frames whose header is zero.
 */
const HEADER = 32
const FRAME = 24
/** First word of a log with little-endian checksums. */
const MAGIC = 0x377f0682
/** Number of rounds whose frames may remain. Each round adds one to the first salt; the second salt is random. */
const OLDER_ROUNDS = 1_000_000

/** Checks a log. Returns the damage; null without damage, or if a power cut may be its cause. */
export function findWalDamage(path: string): string | null {
  const found = scan(path)
  // A running server may have written during the scan. Real damage is found the second time too.
  return found !== null && found === scan(path) ? found : null
}

function scan(path: string): string | null {
  if (!statSync(path, { throwIfNoEntry: false })) return null
  const file = openSync(path, 'r')
  try {
    return scanFile(file, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}

function scanFile(file: number, size: number): string | null {
  const [header, headerWords] = buffer(HEADER)
  if (size <= HEADER || readSync(file, header, 0, HEADER, 0) < HEADER) return null
  // A machine of the other byte order wrote this log. Only SQLite can check it, and no such machine runs Waybill.
  if (header.readUInt32BE(0) === MAGIC + 1) return null
  const start = sum([0, 0], headerWords, 0, 6)
  if (header.readUInt32BE(0) !== MAGIC || !same(start, header, 24)) {
    return isZero(file, size) ? null : 'the header of the write-ahead log is damaged'
  }
  const salt = header.readUInt32BE(16)
  const [frame, words] = buffer(FRAME + header.readUInt32BE(8))
  let before = start
  let bad: number | null = null
  let lost = 0
  let foreign = 0
  for (let n = 1; HEADER + n * frame.length <= size; n++) {
    readSync(file, frame, 0, frame.length, HEADER + (n - 1) * frame.length)
    const current = frame.compare(header, 16, 24, 8, 16) === 0
    const whole = current && same(sum(sum(before, words, 0, 2), words, FRAME / 4, words.length), frame, 16)
    if (!whole) bad ??= n
    if (bad !== null && whole && frame.readUInt32BE(4) > 0) lost++
    if (!current && isForeign(frame.readUInt32BE(8), salt)) foreign++
    before = [frame.readUInt32BE(16), frame.readUInt32BE(20)]
  }
  return lost > 1 || foreign > 1 ? `the write-ahead log is damaged at frame ${bad}` : null
}

function buffer(bytes: number): [Buffer, Uint32Array] {
  const words = new Uint32Array(bytes / 4)
  return [Buffer.from(words.buffer), words]
}

type Sum = readonly [number, number]

const same = ([a, b]: Sum, bytes: Buffer, at: number): boolean =>
  a === bytes.readUInt32BE(at) && b === bytes.readUInt32BE(at + 4)

/** Returns true for the first salt of a frame that no round has written. Zero: the frame has never reached the disk. */
const isForeign = (salt: number, current: number): boolean =>
  salt !== 0 && (current - salt) >>> 0 > OLDER_ROUNDS

/** Returns true for a file of zeros. A power cut may leave a new log with its length but without content. */
function isZero(file: number, size: number): boolean {
  const chunk = Buffer.alloc(1 << 16)
  for (let at = 0; at < size; at += chunk.length) {
    const length = readSync(file, chunk, 0, chunk.length, at)
    if (chunk.subarray(0, length).some((byte) => byte !== 0)) return false
  }
  return true
}

/** Continues a checksum over an even number of words. The machine and the log must have the same byte order. */
function sum([a, b]: Sum, words: Uint32Array, from: number, to: number): Sum {
  let [x, y] = [a, b]
  for (let i = from; i < to; i += 2) {
    x = (x + (words[i] as number) + y) >>> 0
    y = (y + (words[i + 1] as number) + x) >>> 0
  }
  return [x, y]
}
