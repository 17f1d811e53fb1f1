/** Reloads a prefix when one of its files changes (--watch). For development. */
import { basename, resolve } from 'node:path'
import { watch } from 'chokidar'
import type { Log } from '../process/log.ts'
import type { Lifecycle } from '../web/lifecycle.ts'
import { isInside } from '../web/read-files.ts'
import type { Prefix, Site } from '../web/site.ts'
import type { Reloader } from './drop-in.ts'

/** Time without events before a reload, in milliseconds. An editor causes several events when it saves a file. */
const SETTLE_MS = 100

/**
 * Watches the prefixes, and the directories of static files that their classes serve. If a changed tree has a mistake,
 * the old tree stays in use and the mistake is logged. Services stay open unless a file whose name begins with `_`
 * changed.
 *
 * @returns function that stops watching; resolves when a running reload has finished
 */
export async function watchPrefixes(
  site: Site,
  lifecycle: Lifecycle,
  { load, refresh }: Reloader,
  log: Log,
): Promise<() => Promise<void>> {
  let queue = Promise.resolve()
  /** Resolves to true if the new tree is in use. */
  const reload = async (prefix: Prefix, files: readonly string[]): Promise<boolean> => {
    try {
      refresh(prefix.path)
      await lifecycle.reload(
        prefix,
        load,
        files.some((file) => basename(file).startsWith('_')),
      )
      log.info({ prefix: prefix.path, files }, 'endpoints reloaded')
      return true
    } catch (error) {
      log.error(
        { prefix: prefix.path, files },
        `endpoints not reloaded, the old ones stay in use: ${(error as Error).message}`,
      )
      return false
    }
  }
  const watchers = site.prefixes.map((prefix) => {
    const watcher = watch([prefix.path, ...outsideOf(prefix)], {
      ignoreInitial: true,
      ignored: (path) => /[\\/](?:node_modules|\.(?!well-known$)[^\\/]*)$/.test(path) && path !== prefix.path,
    })
    const changed = new Set<string>()
    const reloadChanged = async (): Promise<void> => {
      const files = [...changed]
      changed.clear()
      // A failed reload keeps its files for the next attempt, so that the next reload reopens the same services.
      if (files.length > 0 && !(await reload(prefix, files))) for (const file of files) changed.add(file)
      watcher.add(outsideOf(prefix))
    }
    let timer: NodeJS.Timeout | undefined
    watcher.on('all', (_event, path) => {
      changed.add(path)
      clearTimeout(timer)
      timer = setTimeout(() => {
        queue = queue.then(reloadChanged)
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

function outsideOf({ path, directories }: Prefix): string[] {
  return directories.filter((directory) => !isInside(directory, resolve(path)))
}
