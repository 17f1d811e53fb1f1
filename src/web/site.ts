/** Holds the endpoints of one app as data: its prefixes and their merged tree. Reads no file and opens no service. */
import type { Held } from '../auth/held.ts'
import type { ApiInfo } from './api-info.ts'
import type { ErrorTable } from './errors.ts'
import type { Handler } from './handler.ts'
import type { TreeWarning } from './look-alikes.ts'
import type { FolderRules } from './rules.ts'
import type { Module } from './tree.ts'
import type { CallerCredentials, Identity } from './types.ts'
import type { WebSocketHandler } from './web-sockets.ts'

/**
 * Exports of a `_services` file. All are optional.
 *
 * @example
 * ```ts
 * const module: ServicesModule = {
 *   open: () => ({ notes: new Map<number, string>() }),
 *   authenticate: (_, authorization) => (authorization === 'Bearer TOKEN' ? { id: 'ada', roles: ['MAN'] } : null),
 * }
 * ```
 */
export interface ServicesModule {
  /**
   * Opens the services of a tree. Its handlers have them as `this.services`.
   *
   * @param context object that the program passes to the `open` of every tree
   */
  readonly open?: (context: never) => object | Promise<object>
  /** Ends long-running requests, such as streams. Called on shutdown, before the server waits for running requests. */
  readonly drain?: (services: never) => void
  /** Closes the services that `open` returned. */
  readonly close?: (services: never) => void | Promise<void>
  /**
   * Returns the caller's identity from the value of the Authorization header or from a cookie; null when the request
   * proves nothing. Synchronous, because it runs before the body is read.
   */
  readonly authenticate?: (
    services: never,
    authorization: string | undefined,
    credentials: CallerCredentials,
  ) => Identity | null
  /**
   * Registers something that outlives the check of a caller: a streamed response or a WebSocket. Without this function
   * access never ends.
   *
   * @param identity as `authenticate` returned it
   * @param end called once when the access has ended
   */
  readonly hold?: (services: never, identity: Identity, end: () => void) => Held
  /** Returns whether a caller still has access. Called again when the body of a request has arrived. */
  readonly hasAccess?: (services: never, identity: Identity) => boolean
  readonly socket?: (services: never, path: string) => WebSocketHandler | null
  /** Responses to errors thrown by handlers, by `code`. */
  readonly errors?: ErrorTable
  /**
   * Statuses of errors whose body is only `{ "error": "<reason phrase>" }`, for a protocol that prescribes it. By
   * default every error has a `message` that says what to do.
   */
  readonly bareErrors?: readonly number[]
  /** Title and version of the API description. The first prefix that exports it wins. */
  readonly info?: ApiInfo
  /** Names of the services that handlers of other prefixes may use. Default: all. */
  readonly shared?: readonly string[]
}

/** Access that never ends. */
const LASTING: Held = { holds: () => true, release() {} }

/** Parts of a {@link Prefix} that are read from its directory. */
export type PrefixParts = Pick<
  Prefix,
  'path' | 'rules' | 'tree' | 'warnings' | 'directories' | 'servicesFile' | 'module'
>

/** Prefix directory, with its tree and the services of its handlers. */
export class Prefix {
  readonly path: string
  /** Rules that the program gives all classes of the prefix, in addition to its `_folder` files. */
  readonly rules: FolderRules | null
  tree: Module
  /** Likely mistakes in the tree. */
  warnings: readonly TreeWarning[]
  directories: readonly string[]
  /** Path of the `_services` file; null without one. */
  servicesFile: string | null
  module: ServicesModule
  /** Result of `open` of the prefix; null while its services are closed. */
  ownServices: object | null = null
  /**
   * `this.services` of the handlers: the services of the prefix, and the shared services of other prefixes. Own
   * services take precedence, then services of earlier prefixes.
   */
  services: object = {}

  constructor({ path, rules, tree, warnings, directories, servicesFile, module }: PrefixParts) {
    this.path = path
    this.rules = rules
    this.tree = tree
    this.warnings = warnings
    this.directories = directories
    this.servicesFile = servicesFile
    this.module = module
  }
}

export interface ClassEntry {
  readonly handler: Handler
  readonly prefix: Prefix
}

export interface ModulePart {
  readonly prefix: Prefix
  /** Null for a directory without index. */
  readonly file: string | null
  /** Rules for the paths of the module that no class answers. */
  readonly folder: FolderRules | null
}

/** Union of the modules of all prefixes at one path. */
export interface MergedModule {
  readonly parts: readonly ModulePart[]
  /** False when no prefix has a file for the module, so that the module is only part of longer paths. */
  readonly hasFile: boolean
  readonly modules: ReadonlyMap<string, MergedModule>
  readonly classes: ReadonlyMap<string, ClassEntry>
  readonly maxMember: number
  /** Classes without a segment of their own, such as `Default`, in the order of their prefixes. */
  readonly defaults: readonly ClassEntry[]
}

/**
 * Prefixes of one app, the first with the highest precedence, and their merged tree.
 *
 * @example
 * ```ts
 * const site: Site = await readSite(['api'])
 * const paths = site.prefixes.map(({ path }) => path)
 * ```
 */
export class Site {
  readonly prefixes: readonly Prefix[]
  tree: MergedModule

  constructor(prefixes: readonly Prefix[], tree: MergedModule) {
    this.prefixes = prefixes
    this.tree = tree
  }

  /** Title and version from the first prefix that exports `info`; undefined without one. */
  get info(): ApiInfo | undefined {
    return this.prefixes.find(({ module }) => module.info !== undefined)?.module.info
  }

  /** Returns the prefix that authenticates callers of `prefix`: itself, else the first with an authenticator. */
  authenticatorFor(prefix: Prefix): Prefix | undefined {
    return prefix.module.authenticate ? prefix : this.prefixes.find(({ module }) => module.authenticate)
  }

  /** Registers something that outlives the check of a caller of `prefix`. */
  hold(prefix: Prefix, identity: Identity, end: () => void): Held {
    const guard = this.authenticatorFor(prefix)
    return guard?.module.hold?.(guard.services as never, identity, end) ?? LASTING
  }

  hasAccess(prefix: Prefix, identity: Identity): boolean {
    const guard = this.authenticatorFor(prefix)
    return guard?.module.hasAccess?.(guard.services as never, identity) ?? true
  }

  /** Returns the error tables for `prefix`: its own first, then those of all prefixes, then an empty table. */
  errorTablesFor(prefix: Prefix | null): readonly ErrorTable[] {
    const inOrder = prefix ? [prefix, ...this.prefixes] : this.prefixes
    return [...inOrder.map(({ module }) => module.errors ?? {}), {}]
  }
}
