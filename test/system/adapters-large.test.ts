/** Runs the part of the adapter contract that moves many megabytes, on each adapter. */
import { inject } from 'vitest'
import { listenNode } from '../../src/web/node.ts'
import { listenUws } from '../../src/web/uws.ts'
import { largeAdapterSuite } from '../contract/adapter.ts'

largeAdapterSuite('node', listenNode)
if (inject('hasUws')) largeAdapterSuite('uws', listenUws)
