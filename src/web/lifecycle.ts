/** Opens, drains and closes the services of a site, and reloads a prefix. */
import type { Log } from '../process/log.ts'
import { TreeError } from './handler.ts'
import type { LoadModule } from './load.ts'
import { hiddenClasses, mergeTrees } from './merge.ts'
import { checkPrefixes, readPrefix } from './read-site.ts'
import type { Prefix, Site } from './site.ts'
import { routes } from './tree.ts'

/** Error for services that cannot be opened. Its message names the `_services` file; `cause` is the error of `open`. */
export class ServicesError extends Error {
  constructor(file: string | null, cause: unknown) {
    super(`${file}: open failed: ${reasonOf(cause)}`, { cause })
    this.name = 'ServicesError'
  }
}

/** Returns the message of an error as one line. A failed connection to several addresses has only a code. */
function reasonOf(error: unknown): string {
  const { message, code } = (error ?? {}) as NodeJS.ErrnoException
  return String(message || code || error).replaceAll(/\s*\n\s*/g, ' ')
}

/**
 * Opens, drains and closes the services of a site.
 *
 * @example
 * ```ts
 * const lifecycle = new Lifecycle(await readSite(['api']), { shop: 'Ada' }, console)
 * await lifecycle.open()
 * process.once('SIGTERM', () => lifecycle.close())
 * ```
 */
export class Lifecycle {
  readonly #site: Site
  readonly #context: object
  readonly #log: Log

  /** @param context argument of every `open`, from the program that runs the app */
  constructor(site: Site, context: object, log: Log) {
    this.#site = site
    this.#log = log
    this.#context = context
  }

  /**
   * Opens the services of every prefix, in order. If one fails, closes those already open.
   *
   * @throws {ServicesError}
   */
  async open(): Promise<void> {
    for (const prefix of this.#site.prefixes) this.#logWarnings(prefix)
    this.#warnOfHiddenClasses()
    this.#logDefaultAccess()
    try {
      for (const prefix of this.#site.prefixes) await this.#openPrefix(prefix)
    } catch (error) {
      await this.close().catch(() => {})
      throw error
    }
  }

  /** Calls every `drain`, which ends long-running requests such as streams. */
  drain(): void {
    for (const { module, ownServices } of this.#site.prefixes) {
      if (ownServices) module.drain?.(ownServices as never)
    }
  }

  /**
   * Closes all open services, in reverse order.
   *
   * @throws the error of the first `close` that failed, after all were called
   */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (const prefix of this.#site.prefixes.toReversed())
      await this.#closePrefix(prefix).catch((error) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  /**
   * Reloads one prefix. If the new tree has problems, or its services cannot be opened, the old tree stays in use.
   *
   * @param reopen true closes the services with the old code and opens them with the new code; false keeps them open
   * @throws {TreeError} for problems of the new tree; {@link ServicesError}, after the old services were opened again
   */
  async reload(prefix: Prefix, load: LoadModule, reopen: boolean): Promise<void> {
    const fresh = await this.#readAgain(prefix, load)
    if (reopen) await this.#reopen(prefix, fresh)
    prefix.tree = fresh.tree
    prefix.warnings = fresh.warnings
    prefix.directories = fresh.directories
    this.#logWarnings(prefix)
    this.#site.tree = mergeTrees(this.#site.prefixes)
    this.#warnOfHiddenClasses()
  }

  /**
   * Replaces the services of a prefix. The old ones are closed first, because two of them cannot share a port or the
   * lock of a file. If the new ones cannot be opened, the old code opens its services again.
   */
  async #reopen(prefix: Prefix, fresh: Prefix): Promise<void> {
    const { module, servicesFile } = prefix
    await this.#closePrefix(prefix).catch((error) => {
      this.#log.warn({ err: error }, `${servicesFile}: close failed: ${reasonOf(error)}`)
    })
    prefix.module = fresh.module
    prefix.servicesFile = fresh.servicesFile
    try {
      await this.#openPrefix(prefix)
    } catch (error) {
      prefix.module = module
      prefix.servicesFile = servicesFile
      await this.#openPrefix(prefix).catch((again) => {
        const text = `${(error as Error).message}. The old services could not be opened again either, and are closed: ${reasonOf(again)}`
        throw new Error(text, { cause: error })
      })
      throw error
    }
  }

  async #readAgain(prefix: Prefix, load: LoadModule): Promise<Prefix> {
    const fresh = await readPrefix(prefix.path, load, prefix.rules)
    checkPrefixes(this.#site.prefixes.map((each) => (each === prefix ? fresh : each)))
    return fresh
  }

  async #openPrefix(prefix: Prefix): Promise<void> {
    try {
      prefix.ownServices = (await prefix.module.open?.(this.#context as never)) ?? {}
    } catch (cause) {
      const error = new ServicesError(prefix.servicesFile, cause)
      this.#log.debug({ err: cause }, error.message)
      throw error
    }
    const missing = missingShared(prefix)
    if (missing.length > 0) {
      await this.#closePrefix(prefix)
      throw new TreeError(
        missing.map(
          (name) =>
            `${prefix.servicesFile}: shared has "${name}", which open() does not return. Remove it from shared, or return it`,
        ),
      )
    }
    this.#shareServices()
  }

  async #closePrefix(prefix: Prefix): Promise<void> {
    const { ownServices } = prefix
    prefix.ownServices = null
    this.#shareServices()
    if (ownServices) await prefix.module.close?.(ownServices as never)
  }

  #logWarnings({ warnings }: Prefix): void {
    for (const { file, text } of warnings) this.#log.warn({ file }, `${text}.`)
  }

  /** Logs each unreachable class. A new file may hide a class of another prefix unnoticed. */
  #warnOfHiddenClasses(): void {
    for (const [{ file, name }, by] of hiddenClasses(this.#site)) {
      const cause =
        by === ''
          ? ''
          : `, because ${by} answers instead. Rename one of them, or change the order of the prefixes`
      this.#log.warn({ file, class: name, by }, `${file}: no path reaches class ${name}${cause}.`)
    }
  }

  /** Logs the number of classes that need a token only because some prefix has an authenticator. */
  #logDefaultAccess(): void {
    const { prefixes } = this.#site
    const guard = prefixes.find(({ module }) => module.authenticate)
    if (!guard) return
    const all = new Set(prefixes.flatMap(({ tree }) => [...routes(tree)].map(({ handler }) => handler)))
    const open = [...all].filter(({ verbs }) => [...verbs.values()].some(({ access }) => access === null))
    if (open.length === 0) return
    const many =
      open.length === 1 ? '1 class without `access` needs' : `${open.length} classes without \`access\` need`
    this.#log.info(
      { prefix: guard.path, classes: open.length },
      `access: ${many} a token, because ${guard.path} has an authenticator`,
    )
  }

  /** Gives the handlers of each prefix its own services and the shared services of the other prefixes. */
  #shareServices(): void {
    const { prefixes } = this.#site
    const shared = prefixes.map(sharedServices).toReversed()
    for (const prefix of prefixes) prefix.services = Object.assign({}, ...shared, prefix.ownServices)
  }
}

/** Returns the services of a prefix that are visible to the handlers of other prefixes. */
function sharedServices({ ownServices, module }: Prefix): object {
  if (ownServices === null || !module.shared) return ownServices ?? {}
  const names = new Set(module.shared)
  return Object.fromEntries(Object.entries(ownServices).filter(([name]) => names.has(name)))
}

function missingShared({ ownServices, module }: Prefix): string[] {
  return (module.shared ?? []).filter((name) => !Object.hasOwn(ownServices ?? {}, name))
}
