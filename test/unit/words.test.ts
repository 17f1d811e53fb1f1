/** Holds the code and the docs against the rules of language in CONTRIBUTING.md, "Words". */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Openings of a sentence without a subject and a verb, which cannot be read alone. */
const FRAGMENTS = new Set(
  `After Again Also As Asked At Because Before Between But By For From How If In Is Its Left Like More Not Nothing Of On
   Only Set So Something Still Such That Then There Those Thrown To Told Until What When Where Whether Which While Who
   Whoever Whose Why With Without`.split(/\s+/),
)

/** Words that make a reader guess who does what. */
const VAGUE =
  /\b(told|untold|nobody|whoever|any more|so many|what waits|what goes on|in vain|of old|one of ours)\b/i

const PRODUCT = ['src', 'endpoints', 'bin']
const AROUND = ['bench', 'tools', 'test']
/** Written by a program from the API description. */
const GENERATED = ['src/client/types.ts']

function filesBelow(directory: string, ending: RegExp): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !name.startsWith('node_modules/'))
    .map((name) => `${directory}/${name}`)
}

interface Source {
  readonly file: string
  readonly text: string
}

const read = (file: string): Source => ({ file, text: readFileSync(file, 'utf8') })
const sourcesOf = (directories: readonly string[]): Source[] =>
  directories
    .flatMap((directory) => filesBelow(directory, /\.tsx?$/))
    .filter((file) => !GENERATED.includes(file))
    .map(read)
const sources = sourcesOf(PRODUCT)
const docs = [...readdirSync('.').filter((name) => name.endsWith('.md')), ...filesBelow('docs', /\.md$/)].map(
  read,
)

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** Returns the doc comments of a file that begin with a fragment. */
function fragments({ file, text }: Source): string[] {
  return [...text.matchAll(/\/\*\*\s([\s*]*)(\S+)(.*)/g)]
    .filter(([, , opening]) => FRAGMENTS.has((opening as string).replace(/[.,:]$/, '')))
    .map(({ 0: _, 2: opening, 3: rest, index }) => `${file}:${lineAt(text, index)}: ${opening}${rest}`)
}

function vague({ file, text }: Source): string[] {
  return text.split('\n').flatMap((line, i) => (VAGUE.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : []))
}

test('doc comments: the first sentence → has a subject and a verb', () => {
  expect([...sources, ...sourcesOf(AROUND)].flatMap(fragments)).toEqual([])
})

test('code and docs: vague words → none', () => {
  expect([...sources, ...docs].flatMap(vague)).toEqual([])
})

/** The admin page and the client library are programs of their own; their names may repeat those of the server. */
const server = sources.filter(({ file }) => !/^src\/(ui|client)\//.test(file))
/** A class of an endpoint tree is a segment of a URL, and its module a name space. The framework names the exports of `_services` and `_folder`. */
const isEndpoint = (file: string): boolean =>
  file.startsWith('endpoints/') && (!/\/_[^/]*$/.test(file) || /\/_(services|folder)\.ts$/.test(file))

test('exported names: defined in one file of the server', () => {
  const definedIn = new Map<string, string[]>()
  for (const { file, text } of server.filter((source) => !isEndpoint(source.file))) {
    const exported = /^export (?:abstract |async )?(?:function\*?|class|interface|type|const|let) ([\w$]+)/gm
    for (const name of new Set([...text.matchAll(exported)].map(([, found]) => found as string))) {
      definedIn.set(name, [...(definedIn.get(name) ?? []), file])
    }
  }
  const twice = [...definedIn].filter(([, files]) => files.length > 1)
  expect(twice.map(([name, files]) => `${name}: ${files.join(', ')}`)).toEqual([])
})
