/** Runs the adapter contract on the adapter of this vitest project. */
import { listenNode } from '../../src/web/node.ts'
import { listenUws } from '../../src/web/uws.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { adapterSuite } from '../contract/adapter.ts'

if (ADAPTER === 'node') {
  adapterSuite('node', listenNode, { countsBytesOfChunks: 'its parser reports only the bytes' })
} else {
  adapterSuite('uws', listenUws, {
    closesOnUnknownMethod: 'the engine does not route it',
    closesOnTwoFramings: 'the engine refuses it itself',
    closesOnHugeLength: 'the engine reads only nine digits',
    refusesChunkExtensions: 'the engine does not support them',
    takesLongHeaders: 'the limit is a build setting of the engine',
    closesOnLatePipelining: 'the engine pipelines only requests answered at once',
    alwaysContinues: 'the engine sends it itself',
    onlyKnowsPaths: 'the engine expects more bytes',
    waitsForMore: 'the engine reads it as the beginning of a request',
    closesAfterChunks: 'the engine does not check where they end',
    losesHeadersBehindNamelessOnes: 'the engine reads one as the end of the headers',
    takesFewHeaders: 'the engine has room for 50',
    cutsOnWebSocketFaults: 'the engine sends no close frame',
    overlooksWebSocketFaults: 'the engine checks neither',
    refusesRegisteredCloseCodes: 'the engine accepts 4000 to 4999',
    keepsIdleConnections: 'the engine closes them after ten seconds without a request',
  })
}
