/** One prefix directory of an app: its tree, and the services that its `_services` file opens for its handlers. */
import { stat } from 'node:fs/promises'
import { checkGuards } from './access.ts'
import type { Identity } from './endpoint.ts'
import { checkDocs } from './endpoint-docs.ts'
import type { ErrorTable } from './errors.ts'
import { TreeError } from './handler.ts'
import type { WebSocketHandler } from './http.ts'
import { importFile, type Load, loadProblem, servicesFile } from './load.ts'
import { type Description, describe, type Info } from './openapi.ts'
import { loadTree, type Module } from './tree.ts'

/** What a `_services` file may export; nothing is required. */
export interface ServicesModule {
  /**
   * Opens what the tree's handlers use; they find it in `this.services`.
   *
   * @param context what the program that runs the app hands to every tree, and `describe`: () => the app's
   * description in OpenAPI, to be asked once requests are served
   */
  readonly open?: (context: never) => object | Promise<object>
  /** Told when the server begins to stop, before it waits for running requests: ends those that do not end by themselves. */
  readonly drain?: (services: never) => void
  /** Closes what `open` returned. */
  readonly close?: (services: never) => void | Promise<void>
  /**
   * Who calls, from the value of the Authorization header; null when that proves nobody. Synchronous, as it is
   * asked before a byte of the body is read.
   */
  readonly authenticate?: (services: never, authorization: string | undefined) => Identity | null
  /** What serves WebSockets on this path; null: nothing does. */
  readonly socket?: (services: never, path: string) => WebSocketHandler | null
  /** How errors that handlers let through are answered, by their `code`. */
  readonly errors?: ErrorTable
}

/** What the program that runs the app hands to every tree's `open`; all but `info` is its own affair. */
export interface Context {
  /** Title and version of the app's description. */
  readonly info?: Info
  readonly [name: string]: unknown
}

/** One prefix directory and what it brought. */
export class Prefix {
  readonly path: string
  tree: Module
  /** What its `_services` file exports. */
  module: ServicesModule
  /** What `open` returned. */
  ownServices: object | null = null
  /** What its handlers find in `this.services`: what other prefixes opened, its own winning. */
  services: object = {}

  constructor(path: string, tree: Module, module: ServicesModule) {
    this.path = path
    this.tree = tree
    this.module = module
  }
}

/** The prefixes of one app, in the order in which they are asked. */
export class Prefixes {
  readonly all: readonly Prefix[]
  readonly #context: Context
  #description: Description | null = null

  private constructor(all: readonly Prefix[], context: Context) {
    this.all = all
    this.#context = { ...context, describe: () => this.describe() }
  }

  /**
   * Reads every tree and checks them together; opens nothing.
   *
   * @param context handed to every tree's `open`, `describe` added
   * @throws {TreeError} that lists the problems of all trees
   */
  static async read(paths: readonly string[], context: Context, load: Load = importFile): Promise<Prefixes> {
    const all: Prefix[] = []
    const problems: string[] = []
    for (const path of paths) {
      try {
        const { tree, module } = await readPrefix(path, load)
        all.push(new Prefix(path, tree, module))
      } catch (error) {
        if (!(error instanceof TreeError)) throw error
        problems.push(error.message)
      }
    }
    if (problems.length > 0) throw new TreeError(problems)
    check(all)
    return new Prefixes(all, context)
  }

  /** Opens the services of every prefix, in order. When one fails, those already open are closed again. */
  async open(): Promise<void> {
    try {
      for (const prefix of this.all) await this.#open(prefix)
    } catch (error) {
      await this.close().catch(() => {})
      throw error
    }
  }

  /** Ends requests that do not end by themselves. */
  drain(): void {
    for (const { module, ownServices } of this.all) if (ownServices) module.drain?.(ownServices as never)
  }

  /** Closes what was opened, last first, all of it. @throws what the first `close` that failed threw */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (const prefix of this.all.toReversed())
      await this.#close(prefix).catch((error) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  /** The prefix whose authenticator guards the classes of `prefix`: itself, else the first that brings one. */
  authenticatorFor(prefix: Prefix): Prefix | undefined {
    return prefix.module.authenticate ? prefix : this.all.find(({ module }) => module.authenticate)
  }

  /** The tables by which errors out of `prefix` are answered: its own first, the empty one last. */
  errorTablesFor(prefix: Prefix | null): readonly ErrorTable[] {
    const tables = (prefix ? [prefix, ...this.all] : this.all).map(({ module }) => module.errors ?? {})
    return [...tables, {}]
  }

  /** What all trees answer, in OpenAPI; the same object until a tree is read again. */
  describe(): Description {
    this.#description ??= describe(this, this.#context.info ?? { title: 'API', version: '0' })
    return this.#description
  }

  /**
   * Reads one tree again and puts it in the place of the old one; when it has problems the old one stays.
   * Services are left open, unless `reopen`: then they are closed, and opened by the new code.
   *
   * @throws {TreeError} and what `close` and `open` throw
   */
  async reload(prefix: Prefix, load: Load, reopen: boolean): Promise<void> {
    const { tree, module } = await readPrefix(prefix.path, load)
    check(this.all.map((each) => (each === prefix ? new Prefix(each.path, tree, module) : each)))
    this.#description = null
    if (!reopen) {
      prefix.tree = tree
      return
    }
    await this.#close(prefix)
    prefix.tree = tree
    prefix.module = module
    await this.#open(prefix)
  }

  async #open(prefix: Prefix): Promise<void> {
    prefix.ownServices = (await prefix.module.open?.(this.#context as never)) ?? {}
    this.#share()
  }

  async #close(prefix: Prefix): Promise<void> {
    const { ownServices } = prefix
    prefix.ownServices = null
    this.#share()
    if (ownServices) await prefix.module.close?.(ownServices as never)
  }

  #share(): void {
    const all = this.all.map((prefix) => prefix.ownServices ?? {}).toReversed()
    for (const prefix of this.all) prefix.services = Object.assign({}, ...all, prefix.ownServices)
  }
}

/** @throws {TreeError} what no tree shows by itself */
function check(all: readonly Prefix[]): void {
  checkGuards(all)
  checkDocs(all)
}

async function readPrefix(path: string, load: Load): Promise<{ tree: Module; module: ServicesModule }> {
  const found = await stat(path).catch(() => null)
  if (!found?.isDirectory())
    throw new TreeError([`${path}: no such directory; --prefix takes a directory of endpoint files`])
  const file = await servicesFile(path)
  const [module, tree] = await Promise.allSettled([
    file === null ? {} : servicesOf(file, load),
    loadTree(path, load),
  ])
  if (module.status === 'fulfilled' && tree.status === 'fulfilled') {
    return { tree: tree.value, module: module.value }
  }
  const failures = [module, tree].flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  for (const failure of failures) if (!(failure instanceof TreeError)) throw failure
  throw new TreeError(failures.map(({ message }) => message))
}

async function servicesOf(file: string, load: Load): Promise<ServicesModule> {
  let exports: Readonly<Record<string, unknown>>
  try {
    exports = await load(file)
  } catch (error) {
    throw new TreeError([loadProblem(file, error)])
  }
  const wrong = ['open', 'drain', 'close', 'authenticate', 'socket'].filter(
    (name) => exports[name] !== undefined && typeof exports[name] !== 'function',
  )
  if (wrong.length > 0) throw new TreeError(wrong.map((name) => `${file}: ${name} must be a function`))
  return exports
}
