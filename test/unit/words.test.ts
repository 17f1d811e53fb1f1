/** Holds the code and the docs against the rules of language in CONTRIBUTING.md, "Words". */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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

/** Phrases of comments that make a reader look for a noun, or that have a plain word: "Returns whether", "continues". */
const DIALECT = /\b(that of|Tells whether|any longer|goes on|lets go of|put off)\b/

/** Words that add nothing to the name that a doc comment stands above. */
const FILLER = new Set(
  'a all an and each every for in is its number numbers of on one or own return returns that the these this to'.split(
    ' ',
  ),
)

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

function dialect({ file, text }: Source): string[] {
  const isComment = /^\s*(\/\*\*|\*|\/\/)/
  return text
    .split('\n')
    .flatMap((line, i) =>
      isComment.test(line) && DIALECT.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [],
    )
}

/** Returns the words of a text or a name, in lower case and without a plural ending. */
function wordsOf(text: string): string[] {
  const apart = text.replace(/([a-z\d])([A-Z])/g, '$1 $2')
  return (apart.match(/[A-Za-z]+/g) ?? []).map((word) => word.toLowerCase().replace(/s$/, ''))
}

/** Returns the doc comments of one line whose words are all in the declaration below them. */
function repetitions({ file, text }: Source): string[] {
  return [...text.matchAll(/\/\*\* ([^@{*\n]+)\*\/\n(.+)/g)]
    .filter(([, comment, declaration]) => {
      const words = (comment as string)
        .split(/[^A-Za-z]+/)
        .filter((word) => word !== '' && !FILLER.has(word.toLowerCase()))
      const names = new Set(wordsOf(declaration as string))
      return words.flatMap(wordsOf).every((word) => names.has(word))
    })
    .map(({ 0: found, index }) => `${file}:${lineAt(text, index)}: ${found.replace(/\s+/g, ' ')}`)
}

interface Export {
  readonly name: string
  readonly file: string
}

/** Returns the exports of a public face that are defined in the product, with the files that define them. */
function exportsOf(face: string): Export[] {
  const lists = [...readFileSync(face, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)]
  return lists.flatMap(([, list = '', from = '']) =>
    (list.match(/\w+(?=\s*(?:,|$))/g) ?? []).map((name) => ({ name, file: join(dirname(face), from) })),
  )
}

/** Tells whether the comment above the definition of an export has an example. */
function hasExample({ name, file }: Export): boolean {
  const definition = new RegExp(
    `\\* @example\\n(?: \\*.*\\n)+ \\*/\\nexport (?:async )?(?:class|const|function|interface|type) ${name}\\b`,
  )
  return definition.test(readFileSync(file, 'utf8'))
}

test('doc comments: the first sentence → has a subject and a verb', () => {
  expect([...sources, ...sourcesOf(AROUND)].flatMap(fragments)).toEqual([])
})

test('code and docs: vague words → none', () => {
  expect([...sources, ...docs].flatMap(vague)).toEqual([])
})

test('comments of the product: phrases with a plain word → none', () => {
  expect(sources.flatMap(dialect)).toEqual([])
})

test('doc comments: the words of the name below → not repeated alone', () => {
  expect([...sources, ...sourcesOf(AROUND)].flatMap(repetitions)).toEqual([])
})

/** Types and values of TypeBox, and the generated types of the API. */
const WITHOUT_EXAMPLE = ['Static', 'Type', 'components', 'paths']

test.each(['src/index.ts', 'src/framework.ts', 'src/client/index.ts'])(
  '%s: each export → has an example',
  (face) => {
    const exported = exportsOf(face).filter(({ name }) => !WITHOUT_EXAMPLE.includes(name))
    expect(exported.length).toBeGreaterThan(7)
    expect(exported.filter((each) => !hasExample(each)).map(({ name, file }) => `${file}: ${name}`)).toEqual(
      [],
    )
  },
)

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
