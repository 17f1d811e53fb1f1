/** Contract for small values that the nodes of an installation share. A storage for one node has none. Knows no SQL. */

export interface SharedValues {
  /** Returns a value; null for an unknown name. */
  get(name: string): Promise<string | null>

  /** Stores a value unless the name already has one. Returns the value of the name. */
  ensure(name: string, value: string): Promise<string>

  set(name: string, value: string): Promise<void>

  remove(name: string): Promise<void>

  /** Runs work while no other node runs such work (mutual exclusion). The work must not call `alone` itself. */
  alone<T>(work: () => Promise<T>): Promise<T>
}
