/** Reloads a prefix when one of its files changes (--watch). For development. */
import { basename, dirname } from 'node:path'
import { watch } from 'chokidar'
import type { Log } from '../process/log.ts'
import type { Lifecycle } from '../web/lifecycle.ts'
import { isInside } from '../web/read-files.ts'
import type { Prefix, Site } from '../web/site.ts'
import { type Reloader, realPathOf } from './drop-in.ts'

/** Time without events before a reload, in milliseconds. An editor causes several events when it saves a file. */
const SETTLE_MS = 100

const HIDDEN = /[\\/](?:node_modules|\.(?!well-known$)[^\\/]*)$/

/**
 * Watches the prefixes, the files that they import, and the directories of static files that their classes serve. If a
 * changed tree has a mistake, the old tree stays in use and the mistake is logged. Services stay open unless a file
 * changed whose name begins with `_`, or that the `_services` file imports.
 *
 * @returns function that stops watching; resolves when a running reload has finished
 */
export async function watchPrefixes(
  site: Site,
  lifecycle: Lifecycle,
  reloader: Reloader,
  log: Log,
): Promise<() => Promise<void>> {
  const { load, refresh, importsOf } = reloader
  let queue = Promise.resolve()
  const watchers = site.prefixes.map((prefix) => {
    const { path: root } = prefix
    const outside = (): string[] => outsideOf(prefix, importsOf(root))
    const isWatched = (path: string): boolean => path === root || (isInside(path, root) && !HIDDEN.test(path))
    let watched = outside()
    // The directory above stays when the prefix is removed, and sees when it is made again.
    const above = dirname(root)
    const watcher = watch([above, ...watched], {
      ignoreInitial: true,
      ignored: (path) =>
        !(
          path === above ||
          isWatched(path) ||
          watched.some((each) => path === each || (isInside(path, each) && !HIDDEN.test(path)))
        ),
    })
    const changed = new Set<string>()
    let reopen = false
    const reload = async (): Promise<void> => {
      if (changed.size === 0) return
      const files = [...changed]
      const real = new Set(files.map(realPathOf))
      const { servicesFile } = prefix
      const ofServices = servicesFile === null ? new Set<string>() : importsOf(servicesFile)
      // A failed reload keeps its files for the next attempt, so that the next reload reopens the same services.
      reopen ||=
        files.some((file) => basename(file).startsWith('_')) || [...real].some((file) => ofServices.has(file))
      changed.clear()
      try {
        refresh(root, real)
        await lifecycle.reload(prefix, load, reopen)
        reopen = false
        log.info({ prefix: root, files }, 'endpoints reloaded')
      } catch (error) {
        for (const file of files) changed.add(file)
        log.error(
          { prefix: root, files },
          `endpoints not reloaded, the old ones stay in use: ${(error as Error).message}`,
        )
      }
      watched = [...new Set([...watched, ...outside()])]
      watcher.add(watched)
    }
    let timer: NodeJS.Timeout | undefined
    watcher.on('all', (_event, path) => {
      if (path === above) return
      changed.add(path)
      clearTimeout(timer)
      timer = setTimeout(() => {
        queue = queue.then(reload)
      }, SETTLE_MS)
    })
    watcher.on('error', (error) => {
      log.warn(
        { prefix: root, err: error },
        `not every change of ${root} is seen: ${(error as Error).message}`,
      )
    })
    return { watcher, stop: () => clearTimeout(timer) }
  })
  await Promise.all(
    watchers.map(({ watcher }) => new Promise<void>((ready) => watcher.once('ready', () => ready()))),
  )
  log.info(
    {},
    'endpoint files are reloaded when they change (--watch), with all that they import. Not watched: node_modules, names that begin with a dot, and files outside of the prefixes that are only read',
  )
  return async () => {
    for (const { watcher, stop } of watchers) {
      stop()
      await watcher.close()
    }
    await queue
  }
}

/** Returns the files that a prefix imports, and the directories of static files, outside of it. */
function outsideOf({ path, directories }: Prefix, imports: ReadonlySet<string>): string[] {
  return [...directories, ...imports].filter((each) => !isInside(each, path))
}
