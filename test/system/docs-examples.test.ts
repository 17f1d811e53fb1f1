/** README.md and docs/ say what the code does: their commands, answers and example files. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { block, FRAMEWORK_PAGES, filesOf, frameworkPage, pagesIn, ROOT, read } from '../_support/docs.ts'
import { BUILT, runCommand, startServer } from '../_support/server.ts'
import { appOf, recordingLog, writeTree } from '../_support/trees.ts'

/** Splits a script from the answers that its comments hold: by default the comments that begin with a bracket. */
function split(text: string, answer = /^# ([[{].*)$/gm): [script: string, answers: string[]] {
  const answers = [...text.matchAll(answer)].map((match) => match[1] as string)
  return [text.replaceAll(answer, ''), answers]
}

test('REST: curl examples → the answers below them', async () => {
  const server = await startServer({
    dataDir: temporaryDirectory(),
    env: { ADMIN_PASSWORD: 'of the examples' },
  })
  const [script, expected] = split(block('docs/rest.md', 'examples'))
  const ready = script
    .replace(/^BASE=.*$/m, `BASE=${server.url}`)
    .replace(/^PASSWORD=.*$/m, "PASSWORD='of the examples'")
    .replaceAll(/^(curl .*)$/gm, '$1; echo')
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', ready])
  const steady = stdout.replace(/"currentTimestamp":\d+/, '"currentTimestamp":1767225600000')
  expect(steady.trim().split('\n')).toEqual(expected)
})

test('README: walkthrough → the lines below it', async () => {
  const server = await startServer({
    dataDir: temporaryDirectory(),
    env: { ADMIN_PASSWORD: 'of the examples' },
  })
  const [script, expected] = split(block('README.md', 'command-line'), /^# (.*)$/gm)
  const ready = script
    .replace(/^alias .*$/m, `alias waybill='${process.execPath} ${BUILT.join(' ')}'`)
    .replace(/WAYBILL_PASSWORD=.*$/m, `WAYBILL_PASSWORD='of the examples' WAYBILL_URL=${server.url}`)
  // Only interactive shells expand aliases by default.
  const { stdout } = await promisify(execFile)('bash', ['-O', 'expand_aliases', '-e', '-c', ready])
  const steady = stdout.replaceAll(/^\d\d:\d\d:\d\d /gm, '09:30:00 ')
  expect(steady.trim().split('\n').sort()).toEqual(expected.sort())
})

test('README.md: its endpoint → answers', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'hello.ts'), block('README.md', 'file: hello.ts'))
  const server = await startServer({ args: ['--host', '127.0.0.1:0', '--prefix', directory] })
  const answer = await fetch(`${server.url}/hello/greeting/Ada?polite=yes`)
  expect(await answer.json()).toBe('Dear Ada')
})

/** Returns the files in which the TypeScript compiler finds an error. */
function filesWithErrors(files: string[]): string[] {
  const program = ts.createProgram(files, {
    ...{ strict: true, noEmit: true, types: [], skipLibCheck: false },
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  })
  const found = ts.getPreEmitDiagnostics(program).map(({ file }) => file?.fileName ?? 'the options')
  return [...new Set(found)].sort()
}

const PERMIT_ALL = { APP_SECURITY_PERMIT_ALL: 'true' }

/** Runs the commands of a block against a server of the tree, and compares what they print with the comments. */
async function expectAnswers(page: string, mark: string, tree: string): Promise<void> {
  const files = readdirSync(tree).filter((name) => name.endsWith('.ts'))
  const usesBroker = files.some((name) => readFileSync(join(tree, name), 'utf8').includes('services.broker'))
  const beside = usesBroker ? '@broker' : '@docs'
  const args = ['--host', '127.0.0.1:0', '--prefix', tree, '--prefix', beside]
  const server = await startServer({ args, env: usesBroker ? PERMIT_ALL : {} })
  const [script, expected] = split(block(page, mark), /^# (.*)$/gm)
  const ready = script.replaceAll(/^curl .*$/gm, '$&; echo')
  const env = { ...process.env, BASE: server.url }
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', ready], { env })
  expect(stdout.split('\n').filter((line) => line !== '')).toEqual(expected)
}

const examples = [...pagesIn('docs'), ...pagesIn('docs/framework')].flatMap((page) =>
  [...read(page).matchAll(/<!-- requests: (\w+) -->/g)].map(([, name]) => [page, name as string] as const),
)

test.each(examples)('%s, requests: %s → the answers below them', (page, example) =>
  expectAnswers(page, `requests: ${example}`, writeTree(filesOf(page, example))),
)

/** Finds a block in the pages of the framework. */
const frameworkBlock = (name: string): string => block(frameworkPage(name), name)

describe('pages of the framework', () => {
  const api = (): string => {
    const directory = join(temporaryDirectory(), 'api')
    mkdirSync(directory)
    for (const file of ['notes.ts', '_services.ts'])
      writeFileSync(join(directory, file), frameworkBlock(`file: ${file}`))
    return directory
  }

  test('requests → the answers below them', () => expectAnswers(frameworkPage('requests'), 'requests', api()))

  test('a list and its items in two classes → each answers, each with its own shape', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'shelves.ts'), frameworkBlock('file: shelves.ts'))
    const prefixes = ['--prefix', directory, '--prefix', '@broker']
    const server = await startServer({ args: ['--host', '127.0.0.1:0', ...prefixes], env: PERMIT_ALL })
    const get = async (path: string) => (await fetch(`${server.url}${path}`)).json() as Promise<unknown>
    expect(await get('/shelves?width=70')).toEqual([{ id: 1, width: 80 }])
    expect(await get('/shelves/1')).toEqual({ id: 1, width: 80 })
    const { paths } = (await get('/v3/api-docs')) as {
      paths: Record<string, { get: { operationId: string } }>
    }
    expect(paths['/shelves']?.get.operationId).toBe('listShelves')
    expect(paths['/shelves/{id}']?.get.operationId).toBe('getShelf')
  })

  test('the typed client → compiles and prints the answer; a wrong call does not compile', async () => {
    const project = temporaryDirectory()
    const api = join(project, 'api')
    mkdirSync(api)
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    symlinkSync(fileURLToPath(new URL('node_modules', ROOT)), join(project, 'node_modules'))
    writeFileSync(join(api, 'shelves.ts'), frameworkBlock('file: shelves.ts'))
    const types = await runCommand({ args: ['types', '--prefix', 'api'], cwd: project })
    expect([types.code, types.stderr]).toEqual([0, ''])
    writeFileSync(join(project, 'api.d.ts'), types.stdout)

    const server = await startServer({ args: ['--host', '127.0.0.1:0', '--prefix', api] })
    const right = frameworkBlock('typed client').replace('http://127.0.0.1:8080', server.url)
    const client = join(project, 'client.ts')
    writeFileSync(client, right)
    const wrong: [find: string, replace: string][] = [
      ["'/shelves/{id}'", "'/shelfs/{id}'"],
      ['{ id: 1 }', "{ id: 'one' }"],
      ['data.width', 'data.height'],
      ['client.GET', 'client.DELETE'],
    ]
    const files = wrong.map(([find, replace], i) => {
      const file = join(project, `wrong-${i}.ts`)
      writeFileSync(file, right.replace(find, replace))
      return file
    })
    const faulty = filesWithErrors([client, ...files])
    expect(faulty).toEqual(files)
    const run = await promisify(execFile)('node', ['--import', import.meta.resolve('tsx'), client])
    expect(run.stdout).toBe('80 cm\n')
  })

  const sockets = [
    ...FRAMEWORK_PAGES.map(read)
      .join('\n')
      .matchAll(/<!-- sockets: (\w+) -->/g),
  ].map((match) => match[1] as string)
  test.each(sockets)('WebSockets, example %s → passes', async (name) => {
    const { app } = await appOf(filesOf(frameworkPage(`sockets: ${name}`), name))
    const file = join(temporaryDirectory(), 'example.ts')
    const imports = "import { expect } from 'vitest'\nimport { inject } from 'waybill'"
    const body = frameworkBlock(`sockets: ${name}`)
    writeFileSync(file, `${imports}\nexport async function example(app) {\n${body}}\n`)
    const { example } = await import(file)
    await example(app)
  })

  test.each(['test', 'inject'])('%s: the example of a test → passes', async (name) => {
    const directory = api()
    const file = join(directory, '_example.ts')
    const imports =
      "import { expect } from 'vitest'\nimport { App, inject, Lifecycle, readSite } from 'waybill'\nimport { Default } from './notes.ts'"
    const body = frameworkBlock(name).replace("['api']", JSON.stringify([directory]))
    writeFileSync(file, `${imports}\nexport async function example(log) {\n${body}}\n`)
    const { example } = await import(file)
    await example(recordingLog())
  })

  test('the program of one’s own → serves, until it is stopped', async () => {
    const directory = api()
    const file = join(directory, '_program.ts')
    const text = frameworkBlock('program')
      .replace("['api']", JSON.stringify([directory]))
      .replace('port: 8080', 'port: 0')
      .replace('log = console', 'log = recordingLog()')
    const trees = new URL('test/_support/trees.ts', ROOT).pathname
    writeFileSync(file, `import { recordingLog } from '${trees}'\n${text}export { log, server, stop }\n`)
    const { log, server, stop } = await import(file)
    process.removeListener('SIGTERM', stop)
    const url = `http://${server.host}:${server.port}`
    expect(log.lines).toHaveLength(1)
    const answer = await fetch(`${url}/notes`, { method: 'POST', body: new URLSearchParams({ text: 'hi' }) })
    expect(await answer.json()).toBe('hi')
    await stop()
    await expect(fetch(url)).rejects.toThrow()
  })
})
