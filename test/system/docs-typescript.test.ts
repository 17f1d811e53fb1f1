/** The TypeScript compiler accepts every TypeScript example of the pages about the framework, in strict mode. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { FRAMEWORK_PAGES, ROOT, read } from '../_support/docs.ts'
import { BUILT } from '../_support/server.ts'

const PAGES = ['README.md', 'packages/web/README.md', ...FRAMEWORK_PAGES, 'docs/coming-from-endpoints.md']

const IMPORTS = `import { expect } from 'vitest'
import { App, Endpoint, type ErrorTable, inject, Lifecycle, readSite, Type } from 'waybill'\n`
/** The notes of docs/endpoints.md, as the page about tests sees them. */
const NOTES = "import { Default } from '../../endpoints/notes.ts'\n"

interface Example {
  readonly page: string
  /** Text of the comment above the block; empty without one. */
  readonly mark: string
  readonly text: string
}

function examplesOf(page: string): Example[] {
  const blocks = read(page).matchAll(/(?:<!-- (.+?) -->\n)?^```ts\n([\s\S]*?)^```/gm)
  return [...blocks].map(([, mark = '', text = '']) => ({ page, mark, text }))
}

/** Returns the path and the text of the file that an example is, or is a part of. */
function fileOf({ mark, text }: Example, index: number): [path: string, text: string] {
  const [, path] = /^file: (.+)$/.exec(mark) ?? []
  if (path !== undefined) return [path, text]
  if (mark === 'program') return ['program.ts', text]
  if (mark === 'test' || mark === 'inject') {
    return [`${mark}.ts`, `${IMPORTS}${NOTES}declare const log: Console\n${text}`]
  }
  if (mark.startsWith('sockets: '))
    return [`sockets-${index}.ts`, `${IMPORTS}declare const app: App\n${text}`]
  const members = `${IMPORTS}const Client = Type.Object({})\nexport class Part extends Endpoint {\n${text}}\n`
  return [`part-${index}.ts`, text.startsWith('static ') ? members : text]
}

/** Returns the errors of the compiler. */
function errorsIn(directory: string, files: readonly string[]): string[] {
  const program = ts.createProgram(files, {
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
    ...{ types: ['node'], typeRoots: [join(directory, 'node_modules/@types')] },
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    paths: {
      waybill: [join(BUILT[0] as string, '../../src/index.d.ts')],
      'waybill-web': [join(BUILT[0] as string, '../../src/framework.d.ts')],
    },
  })
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
    return `${file?.fileName.replace(directory, '')}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}

test('the examples of the pages → compile', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  symlinkSync(fileURLToPath(new URL('node_modules', ROOT)), join(directory, 'node_modules'))
  const files = PAGES.flatMap((page) =>
    examplesOf(page)
      // Needs the types that another command writes; docs-examples.test.ts compiles it.
      .filter(({ mark }) => mark !== 'typed client')
      .map((example, index) => {
        const [path, text] = fileOf(example, index)
        const file = join(directory, page.replace('.md', ''), path)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, text)
        return file
      }),
  )
  expect(files.length).toBeGreaterThan(35)
  expect(errorsIn(directory, files)).toEqual([])
})
