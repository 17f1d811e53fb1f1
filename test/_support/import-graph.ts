/** Reads the imports in the source of the product, and finds import circles. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Maps each file or folder to the files or folders that it imports. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>

/** Returns the source files of a directory, as paths from the root. */
export function sources(directory: string): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(directory, name))
}

export const SOURCES: readonly string[] = ['bin', 'endpoints', 'src'].flatMap(sources)

/** Returns the files and packages that a file imports in any way, types too. */
export function importsOf(file: string): string[] {
  return namesIn(file, /(?:\bfrom\s+|\bimport\(\s*|^import\s+)'([^']+)'/gm)
}

/** Returns the files and packages that a file loads together with itself. */
export function loadedWith(file: string): string[] {
  return namesIn(file, /^(?:import|export) (?!type\b)[^'(]*'([^']+)'/gm)
}

/** Returns the files and packages that a file loads, with itself or later. */
function loadedBy(file: string): string[] {
  return [...loadedWith(file), ...namesIn(file, /(?<!\btypeof )\bimport\(\s*'([^']+)'/g)]
}

function namesIn(file: string, pattern: RegExp): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(pattern)]
    .map((match) => match[1] as string)
    .filter((name) => !name.startsWith('node:'))
    .map((name) => (name.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), name)) : name))
}

/** Returns who imports whom among the source files, at run time or with types. */
export function importGraph(when: 'run time' | 'types too'): ImportGraph {
  const named = when === 'run time' ? loadedBy : importsOf
  const known = new Set(SOURCES)
  return new Map(
    SOURCES.map((file) => [file, new Set(named(file).filter((name) => name !== file && known.has(name)))]),
  )
}

/** Matches the folder below `src` of a path, or the folder at the top. */
const FOLDER = /^src\/\w+(?=\/)|^\w+/
/** Matches the innermost folder of a path. */
const INNERMOST = /^.*(?=\/)/

/** Returns the imports between the folders below `src`. Each includes its subfolders. */
export const folderGraph = (files: ImportGraph): ImportGraph => graphOf(files, FOLDER)

/** Returns the imports between all folders, each with its own files only. */
export const roomGraph = (files: ImportGraph): ImportGraph => graphOf(files, INNERMOST)

/** @param folder matches the folder of a path */
function graphOf(files: ImportGraph, folder: RegExp): ImportGraph {
  const folderOf = (file: string): string => folder.exec(file)?.[0] as string
  const folders = new Map<string, Set<string>>()
  for (const [file, imported] of files) {
    const from = folderOf(file)
    const to = folders.get(from) ?? new Set()
    for (const each of imported) if (folderOf(each) !== from) to.add(folderOf(each))
    folders.set(from, to)
  }
  return folders
}

/** Returns the circles of a graph: groups of nodes that all reach each other, the largest first. */
export function circlesOf(graph: ImportGraph): string[][] {
  const reached = new Map([...graph.keys()].map((node) => [node, reachedFrom(graph, node)]))
  const circles = new Map<string, string[]>()
  for (const [node, others] of reached) {
    if (!others.has(node)) continue
    const circle = [...others].filter((other) => reached.get(other)?.has(node)).sort()
    circles.set(circle.join(), circle)
  }
  return [...circles.values()].sort((a, b) => b.length - a.length)
}

/** Returns the nodes reachable from a node; the node itself only through others. */
function reachedFrom(graph: ImportGraph, start: string): Set<string> {
  // A set also yields members added during the iteration.
  const reached = new Set(graph.get(start))
  for (const node of reached) for (const next of graph.get(node) ?? []) reached.add(next)
  return reached
}
