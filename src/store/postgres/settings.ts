/** Values that all nodes share, such as the secret of the tokens. */
import type { Reads } from './reads.ts'

export class SharedSettings {
  readonly #reads: Reads

  constructor(reads: Reads) {
    this.#reads = reads
  }

  /** Returns a value. The first node that asks for it creates it. @param create returns a new value */
  async getOrCreate(name: string, create: () => string): Promise<string> {
    return (await this.#get(name)) ?? (await this.#create(name, create()))
  }

  async #get(name: string): Promise<string | null> {
    const rows = await this.#reads.run<{ value: string }>('SELECT value FROM settings WHERE name = $1', [
      name,
    ])
    return rows[0]?.value ?? null
  }

  /** Stores a value unless another node has stored one, and returns the stored one. */
  async #create(name: string, value: string): Promise<string> {
    await this.#reads.run(
      'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
      [name, value],
    )
    return (await this.#get(name)) ?? value
  }
}
