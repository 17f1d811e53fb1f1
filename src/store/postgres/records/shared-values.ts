/** Stores the values that all nodes share, in the table `settings`. */
import type { SharedValues } from '../../shared-values.ts'
import type { Connection } from '../database/connection.ts'
import { kindOf, storageAway } from '../database/faults.ts'
import type { Reads } from '../views/reads.ts'

/** Key of the lock for work that only one node at a time may do. */
const ALONE_LOCK = 1

export interface SharedValuesOptions {
  readonly reads: Reads
  connect(): Connection
}

export class PostgresSharedValues implements SharedValues {
  readonly #options: SharedValuesOptions

  constructor(options: SharedValuesOptions) {
    this.#options = options
  }

  async get(name: string): Promise<string | null> {
    const rows = await this.#run<{ value: string }>('SELECT value FROM settings WHERE name = $1', [name])
    return rows[0]?.value ?? null
  }

  async ensure(name: string, value: string): Promise<string> {
    await this.#run('INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
      name,
      value,
    ])
    return (await this.get(name)) ?? value
  }

  async set(name: string, value: string): Promise<void> {
    await this.#run(
      'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [name, value],
    )
  }

  async remove(name: string): Promise<void> {
    await this.#run('DELETE FROM settings WHERE name = $1', [name])
  }

  async alone<T>(work: () => Promise<T>): Promise<T> {
    // The lock belongs to its connection, so a dying node releases it.
    const connection = this.#options.connect()
    try {
      await connection.run('SELECT pg_advisory_lock(7, $1)', [ALONE_LOCK]).catch((error) => {
        throw kindOf(error) === 'unknown' ? storageAway(error) : error
      })
      return await work()
    } finally {
      await connection.close()
    }
  }

  #run<Row extends Record<string, unknown>>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#options.reads.run<Row>(text, values)
  }
}
