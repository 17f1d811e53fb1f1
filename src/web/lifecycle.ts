/** The life of a site's services: opened, drained, closed, and renewed when a prefix is read again. */
import type { Log } from './app.ts'
import type { Load } from './load.ts'
import { hiddenClasses, mergeTrees } from './merge.ts'
import { checkPrefixes, readPrefix } from './read-site.ts'
import type { Prefix, Site } from './site.ts'

export class Lifecycle {
  readonly #site: Site
  readonly #context: object
  readonly #log: Log

  /** @param context what the program that runs the app hands to every tree's `open` */
  constructor(site: Site, context: object, log: Log) {
    this.#site = site
    this.#log = log
    this.#context = context
  }

  /** Opens the services of every prefix, in order. When one fails, those already open are closed again. */
  async open(): Promise<void> {
    this.#warn()
    try {
      for (const prefix of this.#site.prefixes) await this.#open(prefix)
    } catch (error) {
      await this.close().catch(() => {})
      throw error
    }
  }

  /** Ends requests that do not end by themselves. */
  drain(): void {
    for (const { module, ownServices } of this.#site.prefixes) {
      if (ownServices) module.drain?.(ownServices as never)
    }
  }

  /** Closes what was opened, last first, all of it. @throws what the first `close` that failed threw */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (const prefix of this.#site.prefixes.toReversed())
      await this.#close(prefix).catch((error) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  /**
   * Reads one prefix again and puts it in the place of the old one. When the new one has problems, the old one stays.
   * Services stay open, unless `reopen`: then the old code closes them and the new code opens them.
   *
   * @throws {TreeError} and what `close` and `open` throw
   */
  async reload(prefix: Prefix, load: Load, reopen: boolean): Promise<void> {
    const { tree, module } = await this.#readAgain(prefix, load)
    if (reopen) await this.#close(prefix)
    prefix.tree = tree
    this.#site.tree = mergeTrees(this.#site.prefixes)
    this.#warn()
    if (!reopen) return
    prefix.module = module
    await this.#open(prefix)
  }

  async #readAgain(prefix: Prefix, load: Load): Promise<Prefix> {
    const fresh = await readPrefix(prefix.path, load)
    checkPrefixes(this.#site.prefixes.map((each) => (each === prefix ? fresh : each)))
    return fresh
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

  /** Names each class that no path reaches, as a later change may have hidden it without anyone noticing. */
  #warn(): void {
    for (const [{ file, name }, by] of hiddenClasses(this.#site)) {
      const cause =
        by === '' ? '' : `, as ${by} answers instead. Rename one of them, or change the order of the prefixes`
      this.#log.warn({ file, class: name, by }, `${file}: no path reaches class ${name}${cause}.`)
    }
  }

  /** Gives the handlers of each prefix what every prefix opened. */
  #share(): void {
    const { prefixes } = this.#site
    const all = prefixes.map(({ ownServices }) => ownServices ?? {}).toReversed()
    for (const prefix of prefixes) prefix.services = Object.assign({}, ...all, prefix.ownServices)
  }
}
