/** The endpoints of one app as plain data: its prefixes, and the tree that they form. Reads no file, opens nothing. */
import type { Identity } from './endpoint.ts'
import type { ErrorTable } from './errors.ts'
import type { WebSocketHandler } from './http.ts'
import type { ModuleNode } from './match.ts'
import type { Module } from './tree.ts'

/** The exports of a `_services` file; all are optional. */
export interface ServicesModule {
  /**
   * Opens what the tree's handlers use; they find it in `this.services`.
   *
   * @param context handed to every tree by the program that runs the app
   */
  readonly open?: (context: never) => object | Promise<object>
  /** Called when the server begins to stop, before it waits for running requests: ends those that do not end by themselves. */
  readonly drain?: (services: never) => void
  /** Closes what `open` returned. */
  readonly close?: (services: never) => void | Promise<void>
  /**
   * Returns who calls, from the value of the Authorization header; null when that proves no identity. Synchronous, as
   * it is called before a byte of the body is read.
   */
  readonly authenticate?: (services: never, authorization: string | undefined) => Identity | null
  /** Returns what serves WebSockets on this path; null: nothing does. */
  readonly socket?: (services: never, path: string) => WebSocketHandler | null
  /** How errors that handlers let through are answered, by their `code`. */
  readonly errors?: ErrorTable
}

/** One prefix directory: its own tree, and the services of its handlers. */
export class Prefix {
  readonly path: string
  tree: Module
  /** The exports of its `_services` file. */
  module: ServicesModule
  /** The result of its own `open`; null while its services are closed. */
  ownServices: object | null = null
  /** `this.services` of its handlers: the services of all prefixes. Its own win, then those of the first. */
  services: object = {}

  constructor(path: string, tree: Module, module: ServicesModule) {
    this.path = path
    this.tree = tree
    this.module = module
  }
}

/** The prefixes of one app, the first with the highest precedence, and the tree that they form together. */
export class Site {
  readonly prefixes: readonly Prefix[]
  tree: ModuleNode

  constructor(prefixes: readonly Prefix[], tree: ModuleNode) {
    this.prefixes = prefixes
    this.tree = tree
  }

  /** Returns the prefix whose authenticator guards the classes of `prefix`: itself, else the first that has one. */
  authenticatorFor(prefix: Prefix): Prefix | undefined {
    return prefix.module.authenticate ? prefix : this.prefixes.find(({ module }) => module.authenticate)
  }

  /** Returns the tables by which errors out of `prefix` are answered: its own first, the empty one last. */
  errorTablesFor(prefix: Prefix | null): readonly ErrorTable[] {
    const inOrder = prefix ? [prefix, ...this.prefixes] : this.prefixes
    return [...inOrder.map(({ module }) => module.errors ?? {}), {}]
  }
}
