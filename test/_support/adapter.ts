/** HTTP adapter of the server tests: node in the fast tier, also uws in the system tier. */
import { inject } from 'vitest'
import './provided.ts'

export type AdapterName = 'node' | 'uws'

export const ADAPTER: AdapterName = inject('adapter')

/** All adapters that this Node can run, for system tests that compare them. */
export const ADAPTERS: readonly AdapterName[] = inject('hasUws') ? ['node', 'uws'] : ['node']
