/** The HTTP adapter that the server tests run over: node in the fast tier, uws once more in the system tier. */
import { inject } from 'vitest'
import './provided.ts'

export type AdapterName = 'node' | 'uws'

export const ADAPTER: AdapterName = inject('adapter')

/** All adapters that this Node can run, for system tests that compare them. */
export const ADAPTERS: readonly AdapterName[] = inject('hasUws') ? ['node', 'uws'] : ['node']
