/**
 * Imports the endpoint files of the broker once per worker, in place of `src/web/load.ts`. Each server imports all of
 * them, and vitest asks its main process about each import, even of a loaded module.
 */
import { join, sep } from 'node:path'
import { importFile as importAnyFile, type LoadModule } from '../../src/web/load.ts'

const OWN = join(import.meta.dirname, '../../endpoints') + sep
const loaded = new Map<string, ReturnType<LoadModule>>()

export const importFile: LoadModule = (file) => {
  if (!file.startsWith(OWN)) return importAnyFile(file)
  const module = loaded.get(file) ?? importAnyFile(file)
  loaded.set(file, module)
  return module
}
