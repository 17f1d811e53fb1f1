/**
 * Reads the trees of the broker once per worker, in place of `src/web/tree.ts`. Each server reads all of their files and
 * compiles all of their schemas, which took a fifth of the time of the server tests.
 */
import { join } from 'node:path'
import type { Handler } from '../../src/web/handler.ts'
import { importFile } from '../../src/web/load.ts'
import { type LoadedTree, loadTree as loadAnyTree, type Module } from '../../src/web/tree.ts'

export * from '../../src/web/tree.ts'

const BROKER = join(import.meta.dirname, '../../endpoints')
const SHARED: readonly string[] = [BROKER, join(BROKER, '_docs')]
const trees = new Map<string, Promise<LoadedTree>>()

export const loadTree: typeof loadAnyTree = async (path, load, outer) => {
  if (!SHARED.includes(path) || load !== importFile || outer !== null) return loadAnyTree(path, load, outer)
  const reading = trees.get(path) ?? loadAnyTree(path, load, outer)
  trees.set(path, reading)
  const tree = await reading
  return { ...tree, root: copyOf(tree.root) }
}

/** Copies all that a server may change in its tree: the rules of the verbs. */
function copyOf(module: Module): Module {
  return {
    ...module,
    modules: new Map([...module.modules].map(([name, inner]) => [name, copyOf(inner)])),
    classes: copiesOf(module.classes),
    defaults: module.defaults.map(copyOfHandler),
  }
}

function copiesOf(handlers: ReadonlyMap<string, Handler>): Map<string, Handler> {
  return new Map([...handlers].map(([name, handler]) => [name, copyOfHandler(handler)]))
}

function copyOfHandler(handler: Handler): Handler {
  const verbs = [...handler.verbs].map(([name, verb]) => [name, { ...verb }] as const)
  return { ...handler, verbs: new Map(verbs), nested: copiesOf(handler.nested) }
}
