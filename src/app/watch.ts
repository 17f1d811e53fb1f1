/** Reads a prefix again when one of its files changed (--watch). For development. */
import { basename } from 'node:path'
import { watch } from 'chokidar'
import type { Log } from '../web/app.ts'
import type { Lifecycle } from '../web/lifecycle.ts'
import type { Prefix, Site } from '../web/site.ts'
import type { Reloader } from './drop-in.ts'

/** Saving one file is often several events. */
const SETTLE_MS = 100

/**
 * Watches the prefixes. A tree with a mistake leaves the old one in place, and the log says why. Services stay open,
 * unless a file whose name begins with `_` changed.
 *
 * @returns stops watching; resolves when a running reload has ended
 */
export async function watchPrefixes(
  site: Site,
  lifecycle: Lifecycle,
  { load, refresh }: Reloader,
  log: Log,
): Promise<() => Promise<void>> {
  let queue = Promise.resolve()
  /** @returns whether the new tree was taken */
  const reload = async (prefix: Prefix, files: readonly string[]): Promise<boolean> => {
    try {
      refresh(prefix.path)
      await lifecycle.reload(
        prefix,
        load,
        files.some((file) => basename(file).startsWith('_')),
      )
      log.info({ prefix: prefix.path, files }, 'endpoints read again')
      return true
    } catch (error) {
      log.error(
        { prefix: prefix.path, files },
        `endpoints not taken, the old ones go on: ${(error as Error).message}`,
      )
      return false
    }
  }
  const watchers = site.prefixes.map((prefix) => {
    const watcher = watch(prefix.path, {
      ignoreInitial: true,
      ignored: (path) => /[\\/](?:node_modules|\.[^\\/]*)$/.test(path) && path !== prefix.path,
    })
    const changed = new Set<string>()
    const takeChanges = async (): Promise<void> => {
      const files = [...changed]
      changed.clear()
      // A failed reload leaves its files for the next attempt, which so reopens the same services.
      if (files.length > 0 && !(await reload(prefix, files))) for (const file of files) changed.add(file)
    }
    let timer: NodeJS.Timeout | undefined
    watcher.on('all', (_event, path) => {
      changed.add(path)
      clearTimeout(timer)
      timer = setTimeout(() => {
        queue = queue.then(takeChanges)
      }, SETTLE_MS)
    })
    return { watcher, stop: () => clearTimeout(timer) }
  })
  await Promise.all(
    watchers.map(({ watcher }) => new Promise<void>((ready) => watcher.once('ready', () => ready()))),
  )
  return async () => {
    for (const { watcher, stop } of watchers) {
      stop()
      await watcher.close()
    }
    await queue
  }
}
