/** System clocks of nodes that a test sets while they run, by libfaketime. The monotonic clock goes on. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../../_support/cleanup.ts'

const LIBRARY = readdirSync('/usr/lib')
  .map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
  .find((path) => existsSync(path))

if (LIBRARY === undefined && process.env.CI) throw new Error('No libfaketime. apt-get install faketime')

export class SteppingClocks {
  static readonly isMissing = LIBRARY === undefined
  readonly #directory = temporaryDirectory()

  constructor(nodes: number) {
    for (let node = 0; node < nodes; node++) this.set(node, 0)
  }

  /** Sets the clock of a node to a number of seconds beside the real one. */
  set(node: number, seconds: number): void {
    writeFileSync(this.#fileOf(node), `${seconds < 0 ? '' : '+'}${seconds}s`)
  }

  envOf(node: number): Record<string, string> {
    return {
      LD_PRELOAD: LIBRARY as string,
      FAKETIME_TIMESTAMP_FILE: this.#fileOf(node),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }

  #fileOf(node: number): string {
    return join(this.#directory, String(node))
  }
}
