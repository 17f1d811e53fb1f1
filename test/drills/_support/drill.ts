/** Describes a change of the project as edits of its files, and counts the files that a maintainer opens for it. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DrilledServer } from './drilled-server.ts'
import type { ProjectCopy } from './project-copy.ts'

/** Text that a file has exactly once, and its replacement. */
export type Edit = readonly [before: string, after: string]

/** Numbers of files: existing files that change, and new files. */
export interface FileCounts {
  readonly changed: number
  readonly created: number
}

export interface Drill {
  /** The change, as the table in CONTRIBUTING.md calls it. */
  readonly change: string
  /** Name of the file of the drill, and of the directory in test/drills/files with its new files. */
  readonly name: string
  /** Maximum files below `bin`, `endpoints` and `src`. */
  readonly goal: FileCounts
  /** Reason for more files than the goal. Undefined for a change that takes no more. */
  readonly beyond?: string
  readonly edits: Readonly<Record<string, readonly Edit[]>>
  /** Texts of new files that are made from a file of the project, by path. */
  readonly derived?: Readonly<Record<string, (read: (path: string) => string) => string>>
  /** Files that a command writes after the edits; see CONTRIBUTING.md. */
  readonly written?: readonly string[]
  /** Added to the arguments of the servers. */
  readonly args?: readonly string[]
  /** Proofs over a server of the changed project, on each store, by what they show. */
  readonly served?: Readonly<Record<string, (server: DrilledServer) => Promise<void>>>
  /** Proofs over the changed project with its built page, by what they show. */
  readonly copied?: Readonly<Record<string, (copy: ProjectCopy) => void | Promise<void>>>
}

/** Types of the client, which follow from the API. */
export const CLIENT_TYPES = 'src/client/types.ts'
/** Page with the tables of settings, metrics and device settings. */
export const OPERATE = 'docs/operate.md'

/** Returns an edit that adds text after a text of the file. */
export function added(before: string, addition: string): Edit {
  return [before, before + addition]
}

/** Returns the edit that appends a step to the schema of SQLite. */
export function sqliteStep(sql: string): Edit {
  const end = '\n]\n\nexport interface TakenStep {'
  return [end, `\n  \`${sql}\`,${end}`]
}

export const MIGRATIONS = 'src/store/sqlite/schema/migrations.ts'
export const TABLES = 'src/store/postgres/schema/tables.ts'

/** Directory with the new files of a drill, at the paths that they get. */
export function directoryOf({ name }: Pick<Drill, 'name'>): string {
  return join(import.meta.dirname, '../files', name)
}

/** Returns the paths of the new files of a drill. */
export function newFilesOf(drill: Drill): string[] {
  const entries = readdirSync(join(directoryOf(drill), '..'), { withFileTypes: true })
  const hasFiles = entries.some((entry) => entry.name === drill.name)
  const files = hasFiles
    ? readdirSync(directoryOf(drill), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(directoryOf(drill).length + 1))
    : []
  return [...files, ...Object.keys(drill.derived ?? {})].sort()
}

/** Returns the paths of the files that change, those that a command writes too. */
export function changedFilesOf({ edits, written = [] }: Drill): string[] {
  return [...new Set([...Object.keys(edits), ...written])].sort()
}

/** Returns whether a file is documentation or a test. */
const isBeside = (path: string): boolean => /^(?:docs|test)\//.test(path)

export interface DrillCounts extends FileCounts {
  /** Files of docs and tests, changed or new. */
  readonly beside: number
}

export function countsOf(drill: Drill): DrillCounts {
  const [changed, created] = [changedFilesOf(drill), newFilesOf(drill)]
  return {
    changed: changed.filter((path) => !isBeside(path)).length,
    created: created.filter((path) => !isBeside(path)).length,
    beside: [...changed, ...created].filter(isBeside).length,
  }
}

/** Returns whether a change takes no more files than its goal. */
export function isWithinGoal(drill: Drill): boolean {
  const { changed, created } = countsOf(drill)
  return changed <= drill.goal.changed && created <= drill.goal.created
}
