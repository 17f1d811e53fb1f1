/** The contract for small values that the nodes of an installation share. A storage for one node has none. Knows no SQL. */

export interface SharedValues {
  /** Returns a value; null when there is none. */
  get(name: string): Promise<string | null>

  /** Stores a value unless the name has one. Returns the value that the name has then. */
  ensure(name: string, value: string): Promise<string>

  set(name: string, value: string): Promise<void>

  remove(name: string): Promise<void>

  /** Performs work while no other node performs such work. The work must not call `alone` itself. */
  alone<T>(work: () => Promise<T>): Promise<T>
}
