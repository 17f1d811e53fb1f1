/** The package as npm packs and installs it: a project of `waybill new` passes its test and serves, stack traces name the right lines. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { hasNativeUws } from '../_support/engine.ts'
import { BUILT, runCommand, startServer } from '../_support/server.ts'
import { writeIn } from '../_support/trees.ts'

/** Directory of a project that `waybill new` made, with the packed package installed. */
let project = ''
let program: string[] = []

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', args, { cwd, env: { ...process.env, NO_COLOR: '1' } })
  return stdout.trim()
}

beforeAll(async () => {
  const directory = temporaryDirectory()
  const built = join(dirname(BUILT[0] as string), '../..')
  const packed = await npm(built, 'pack', '--silent', '--ignore-scripts', '--pack-destination', directory)
  project = join(directory, 'pump-house')
  expect(await runCommand({ args: ['new', project] })).toMatchObject({ code: 0, stderr: '' })
  // No script runs: the endpoint framework needs no native add-on, and SQLite would be compiled for a minute.
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--no-save']
  await npm(project, 'install', ...options, join(directory, packed))
  program = [join(project, 'node_modules/waybill/dist/bin/waybill.js')]
}, 300_000)

describe('a project of waybill new', () => {
  test('npm test, also with an added endpoint → passes; npm run types → no error', async () => {
    const args = ['new', 'endpoint', 'admin/jobs']
    expect(await runCommand({ program, args, cwd: project })).toMatchObject({ code: 0 })
    expect(await npm(project, 'test')).toMatch(/Tests +5 passed/)
    await npm(project, 'run', 'types')
  })

  test.each(['node', 'uws'])(
    'npm run build, then its start command over adapter %s → serves',
    async (adapter) => {
      if (adapter === 'uws') {
        if (!(await hasNativeUws())) return
        const engine = dirname(createRequire(import.meta.url).resolve('uWebSockets.js/package.json'))
        symlinkSync(engine, join(project, 'node_modules/uWebSockets.js'))
      }
      const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
      expect(scripts.start).toBe('waybill --prefix dist/endpoints --prefix @docs')
      await npm(project, 'run', 'build')
      const args = [...scripts.start.split(' ').slice(1), '--adapter', adapter, '--host', '127.0.0.1:0']
      const { url } = await startServer({ program, args, cwd: project })
      const added = await fetch(`${url}/notes`, {
        method: 'POST',
        body: new URLSearchParams({ text: 'hello' }),
      })
      expect([added.status, await added.json()]).toEqual([201, { id: 1, text: 'hello' }])
      expect(await (await fetch(`${url}/notes/1`)).json()).toEqual({ id: 1, text: 'hello' })
    },
  )
})

describe('types of the package', () => {
  const used = `import { App, Endpoint, inject, listenNode, listenUws, Text } from 'waybill'
import { Client } from 'waybill/client'

export class Default extends Endpoint {
  static params = { name: Text() }
  GET(name: string): string {
    return name
  }
}
export const parts = [App, Client, inject, listenNode, listenUws]
`

  test.each([
    ['module', 'nodenext', 'nodenext'],
    ['commonjs', 'nodenext', 'nodenext'],
    ['module', 'esnext', 'bundler'],
  ])(
    'a strict project of type %s, module %s, without skipLibCheck → compiles with the packages that npm installs',
    async (type, module, moduleResolution) => {
      const cwd = join(project, `types-${type}-${module}`)
      mkdirSync(cwd)
      writeFileSync(join(cwd, 'package.json'), JSON.stringify({ type }))
      writeIn(cwd, 'used.ts', used)
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'es2023', strict: true, skipLibCheck: false, noEmit: true },
      }
      writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['used.ts'] }))
      const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
      const { stdout } = await promisify(execFile)(process.execPath, [tsc, '--listFiles', '-p', cwd]).catch(
        (error: { stdout: string }) => error,
      )
      const files = stdout.split('\n').filter((line) => line.startsWith('/'))
      const outside = files.filter((file) => !file.startsWith(project) && !/\/typescript\/lib\//.test(file))
      expect(stdout.split('\n').filter((line) => /error TS/.test(line))).toEqual([])
      // A package in a directory above the project would hide one that is missing.
      expect(outside).toEqual([])
    },
  )
})

describe.each(['module', 'commonjs'])('stack traces, package.json of type %s', (type) => {
  // The interface disappears when the file is transformed, so lines move unless the stack is mapped back.
  const boom = (types: string) => `import { Endpoint } from 'waybill'
${types}

export class Boom extends Endpoint {
  GET(name) {
    throw new Error('no ' + name)
  }

  POST() {
    return { within: 10n }
  }
}`

  test.each([[[]], [['--watch']]])(
    'a throw in a file and in the package %j → the right lines',
    async (flags) => {
      const cwd = join(project, `${type}${flags.length}`)
      mkdirSync(cwd)
      writeFileSync(join(cwd, 'package.json'), JSON.stringify({ type }))
      writeIn(cwd, 'api/typed.ts', boom('interface Name {\n  readonly text: string\n}'))
      writeIn(cwd, 'api/plain.js', boom('/* no\n   types\n */'))
      const { url, logged } = await startServer({
        program,
        args: ['--prefix', 'api', '--host', '127.0.0.1:0', ...flags],
        cwd,
      })
      const seen = new Set<object>()
      const firstFrame = async (method: string, path: string): Promise<string> => {
        expect((await fetch(`${url}${path}`, { method })).status).toBe(500)
        // The line may be read after the answer.
        const line = await logged((each) => each.err !== undefined && !seen.has(each))
        seen.add(line)
        const { stack } = line.err as { stack: string }
        const frames = stack.split('\n').filter((line) => /^ +at .*[\\/]/.test(line))
        return frames[0] as string
      }
      expect(await firstFrame('GET', '/typed/boom/a')).toMatch(/at Boom\.GET \(\S*\/api\/typed\.ts:8:11\)$/)
      expect(await firstFrame('GET', '/plain/boom/a')).toMatch(/at Boom\.GET \(\S*\/api\/plain\.js:8:11\)$/)
      for (const path of ['/typed/boom', '/plain/boom']) {
        const [, file = '', line] =
          /\((?:file:\/\/)?(\S+\/waybill\/dist\/\S+\.js):(\d+):\d+\)$/.exec(await firstFrame('POST', path)) ??
          []
        const lines = readFileSync(file, 'utf8').split('\n').slice(0, Number(line))
        expect(lines.at(-1)).toContain('JSON.stringify')
        // The bundle has the path of a module above its code.
        expect(lines.findLast((each) => each.startsWith('// '))).toBe('// src/web/json.js')
      }
    },
  )
})
