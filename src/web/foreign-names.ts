/** Finds file names with a meaning in other frameworks, and files that are not loaded. Runs at load. */
import { join } from 'node:path'
import type { Folder } from './load.ts'
import type { TreeWarning } from './look-alikes.ts'

const METHOD_NAME = /^(.+)\.(get|head|post|put|patch|delete|options)$/i

/** Yields a warning for each name of a file or a directory that means something else in another framework. */
export function* foreignNames({ path, files, folders, unread }: Folder): Generator<TreeWarning> {
  for (const [name, inside] of files) {
    const problem = problemOf(name)
    for (const file of problem === null ? [] : inside) yield warningOf(file, problem as string)
  }
  for (const [name, folder] of folders) {
    const problem = problemOf(name)
    if (problem !== null) yield warningOf(folder.path, problem)
  }
  for (const name of unread) {
    yield warningOf(join(path, name), 'this ending is not loaded. Rename it to .ts, .mts, .js or .mjs')
  }
}

function warningOf(file: string, text: string): TreeWarning {
  return { file, ignoredClass: null, text: `${file}: ${text}` }
}

function problemOf(name: string): string | null {
  const parameter = /\[+\.*([\w-]*)\]+/.exec(name)?.[1]
  if (parameter !== undefined)
    return `"${name}" is a segment like any other. Take an argument instead: GET(${parameter || 'id'})`
  const [, base, method] = METHOD_NAME.exec(name) ?? []
  if (base !== undefined && method !== undefined)
    return `the name of a file chooses no method. Rename it to ${base}, and name a method ${method.toUpperCase()}`
  if (name.startsWith('+')) return `the path has the segment "${name}". Rename it to the segment you want`
  if (/^\(.*\)$/.test(name))
    return `"${name}" is a segment of the path, not a group. Move the files up, or give them a _folder file`
  return null
}
