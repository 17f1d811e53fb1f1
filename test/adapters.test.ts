/** The contract of the adapters, over each of them. */
import { listenNode } from '../src/web/node.ts'
import { listenUws } from '../src/web/uws.ts'
import { adapterSuite, injectSuite } from './contract/adapter.ts'

injectSuite()

adapterSuite('node', listenNode, {})

adapterSuite('uws', listenUws, {
  closesOnUnknownMethod: 'the engine does not route it',
  closesOnTwoFramings: 'the engine refuses it itself',
  closesOnHugeLength: 'the engine reads nine digits',
  refusesChunkExtensions: 'the engine knows none',
  takesLongHeaders: 'the limit is a build setting of the engine',
  closesOnLatePipelining: 'the engine pipelines only what is answered at once',
  alwaysContinues: 'the engine sends it itself',
  onlyKnowsPaths: 'the engine waits for more',
  keepsIdleConnections: 'the engine closes them after ten seconds without a request',
})
