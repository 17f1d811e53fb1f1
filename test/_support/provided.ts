/** Values that vitest.config.ts and the global setups pass to the tests. */
declare module 'vitest' {
  interface ProvidedContext {
    /** Directory that holds all temporary directories of the run. */
    readonly temporaryRoot: string
    /** HTTP adapter of servers that name none. */
    readonly adapter: 'node' | 'uws'
    /** Factor for the runs of property tests. */
    readonly thoroughness: number
    /** Seed of property tests; null picks a new one in each run. */
    readonly seed: number | null
    /** Arguments of node that start the built package; empty in projects that build none. */
    readonly program: readonly string[]
    /** True when uWebSockets.js is native on this Node. */
    readonly hasUws: boolean
    /** Directory with the socket of the PostgreSQL that servers use; empty in projects over SQLite. */
    readonly postgres: string
    /** File to which each fault run adds its report as a line of JSON. */
    readonly faultReports: string
  }
}

export {}
