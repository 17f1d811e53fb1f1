/** The package waybill-web as npm packs and installs it: its size, its README, its types, and a project of its `new`. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { BUILT, PROJECT, runCommand, startServer } from '../_support/server.ts'
import { writeIn } from '../_support/trees.ts'

const README = readFileSync(join(PROJECT, 'packages/web/README.md'), 'utf8')
const PROGRAM = 'node_modules/waybill-web/dist/bin/waybill-web.js'

let tarball = ''
/** Directory that was empty before the package was installed in it. */
let alone = ''
/** Directory of a project that `waybill-web new` made, with its packages installed. */
let project = ''

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', args, { cwd, env: { ...process.env, NO_COLOR: '1' } })
  return stdout.trim()
}

const install = (cwd: string, ...args: string[]): Promise<string> =>
  npm(cwd, 'install', '--prefer-offline', '--no-audit', '--no-fund', ...args)

beforeAll(async () => {
  const directory = temporaryDirectory()
  const build = join(dirname(BUILT[0] as string), '../../build')
  const tools = join(PROJECT, 'tools/pack-web.mjs')
  await promisify(execFile)(process.execPath, [tools, join(directory, 'out'), build])
  const packed = await npm(
    directory,
    ...['pack', join(directory, 'out'), '--silent', '--pack-destination', directory],
  )
  tarball = join(directory, packed)
  alone = join(directory, 'alone')
  mkdirSync(alone)
  await install(alone, tarball)
  project = join(directory, 'pump-house')
  const made = await runCommand({ program: [join(alone, PROGRAM)], args: ['new', project] })
  expect(made).toMatchObject({ code: 0, stderr: '' })
  await install(project, '--no-save', tarball)
}, 300_000)

describe('the package in an empty directory', () => {
  test('npm install → at most 5 packages beside it, none native', () => {
    const { packages } = JSON.parse(readFileSync(join(alone, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean; optional?: boolean; peer?: boolean }>
    }
    const names = Object.keys(packages).filter((path) => path.startsWith('node_modules/'))
    const installed = names.map((path) => path.replace('node_modules/', ''))
    expect(installed).toContain('waybill-web')
    expect(installed.length - 1, installed.join(' ')).toBeLessThanOrEqual(5)
    expect(Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
    const files = readdirSync(join(alone, 'node_modules'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /\.node$|binding\.gyp$/.test(file))).toEqual([])
  })

  test('npm pack → below 400 kB', () => {
    expect(statSync(tarball).size).toBeLessThan(400_000)
  })

  test('its pages: each link, followed from the README → a page and an anchor in the package', () => {
    const root = join(alone, 'node_modules/waybill-web')
    const proseOf = (page: string): string =>
      readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
    const reached = new Set<string>()
    const broken: string[] = []
    const visit = (page: string): void => {
      if (reached.has(page)) return
      reached.add(page)
      for (const [, link = ''] of proseOf(page).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)) {
        const [path, anchor] = link.split('#') as [string, string?]
        const target = path === '' ? page : join(dirname(page), path)
        if (!existsSync(join(root, target)) || !hasAnchor(proseOf(target), anchor))
          broken.push(`${page}: ${link}`)
        else if (target.endsWith('.md')) visit(target)
      }
    }
    visit('README.md')
    expect(broken).toEqual([])
    const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    const unread = pages.filter((name) => name.endsWith('.md') && !reached.has(join('docs', name)))
    expect([reached.size, unread]).toEqual([18, []])
    const foreign = [...reached].filter((page) =>
      /from 'waybill'|waybill (?:new|routes|types|--prefix)\b/.test(readFileSync(join(root, page), 'utf8')),
    )
    expect(foreign).toEqual([])
  })

  test('the first example of its README → answers as the README says; a wrong path → names its program', async () => {
    const [, name, file] = /<!-- file: (\S+) -->\n```ts\n([\s\S]*?)```/.exec(README) as unknown as string[]
    const [, path] = /curl http:\/\/127\.0\.0\.1:8080(\S+)/.exec(README) as unknown as string[]
    const [, answer] = /The answer is `(.+?)`/.exec(README) as unknown as string[]
    const [, packages] = /npm install (.+)/.exec(README) as unknown as string[]
    expect(packages).toBe('waybill-web tsx')
    const cwd = temporaryDirectory()
    await install(cwd, tarball, 'tsx')
    writeIn(cwd, name as string, file as string)
    const { url } = await startServer({
      program: [join(cwd, PROGRAM)],
      args: ['--prefix', 'endpoints', '--host', '127.0.0.1:0'],
      cwd,
    })
    expect(await (await fetch(url + path)).text()).toBe(answer)
    expect(await (await fetch(`${url}/nothing/of/this`)).json()).toMatchObject({
      message: 'No endpoint answers /nothing/of/this. Run "waybill-web routes" for a list of all paths.',
    })
  })

  test('a service without WebSockets, forms and fetch → loads no other package, and not the fetch of Node', async () => {
    const cwd = temporaryDirectory()
    cpSync(join(alone, 'node_modules/waybill-web'), join(cwd, 'node_modules/waybill-web'), {
      recursive: true,
    })
    const file = `import { Endpoint, Type } from 'waybill-web'
      export class Default extends Endpoint {
        static keywords = { GET: Type.Object({ name: Type.String() }) }
        GET({ name }) { return [name, process.moduleLoadList.filter((each) => each.includes('undici'))] }
      }`
    writeIn(cwd, 'package.json', '{ "type": "module" }')
    writeIn(cwd, 'endpoints/hello.js', file)
    const args = ['--prefix', 'endpoints', '--host', '127.0.0.1:0']
    const { url } = await startServer({ program: [join(cwd, PROGRAM)], args, cwd })
    expect(await (await fetch(`${url}/hello?name=Ada`)).json()).toEqual(['Ada', []])
  })

  test('an error of a handler → its stack names the file and the methods of the framework', async () => {
    const cwd = temporaryDirectory()
    await install(cwd, tarball)
    writeIn(cwd, 'package.json', '{ "type": "module" }')
    const file = `import { Endpoint } from 'waybill-web'
export class Default extends Endpoint {
  GET() { throw new TypeError('broken') }
}`
    writeIn(cwd, 'endpoints/hello.js', file)
    const args = ['--prefix', 'endpoints', '--host', '127.0.0.1:0']
    const server = await startServer({ program: [join(cwd, PROGRAM)], args, cwd })
    expect((await fetch(`${server.url}/hello`)).status).toBe(500)
    const { err } = await server.logged((line) => line.level === 'error')
    expect(err).toMatch(/at Default\.GET \(.*hello\.js:3:17\)\n *at #invoke /)
  })

  test('tsconfig.json of another directory than the working directory → its paths', async () => {
    const cwd = temporaryDirectory()
    await install(cwd, tarball, 'tsx')
    const paths = { compilerOptions: { paths: { '@lib/*': ['./lib/*'] } } }
    writeIn(cwd, 'service/tsconfig.json', JSON.stringify(paths))
    writeIn(cwd, 'service/lib/name.ts', "export const name = 'Ada'")
    const file = `import { Endpoint } from 'waybill-web'
      import { name } from '@lib/name.ts'
      export class Default extends Endpoint { GET() { return name } }`
    writeIn(cwd, 'service/endpoints/module.mts', file)
    writeIn(cwd, 'service/endpoints/required.ts', file)
    const args = ['--prefix', 'service/endpoints', '--host', '127.0.0.1:0']
    const { url } = await startServer({ program: [join(cwd, PROGRAM)], args, cwd })
    expect(await (await fetch(`${url}/module`)).text()).toBe('"Ada"')
    expect(await (await fetch(`${url}/required`)).text()).toBe('"Ada"')
  })

  test('TypeScript without a loader → the start says what to install', async () => {
    const cwd = join(alone, 'typed')
    writeIn(cwd, 'endpoints/a.ts', 'export {}')
    const { code, stderr } = await runCommand({ program: [join(alone, PROGRAM)], args: ['routes'], cwd })
    if ('typescript' in process.features) return
    expect([code, stderr]).toEqual([78, expect.stringContaining('Run "npm install tsx"')])
  })

  test.each([
    ['module', 'nodenext', 'nodenext'],
    ['commonjs', 'nodenext', 'nodenext'],
    ['module', 'esnext', 'bundler'],
  ])(
    'a strict project of type %s, module %s, without skipLibCheck → compiles',
    async (type, module, moduleResolution) => {
      const cwd = join(alone, `types-${type}-${module}`)
      mkdirSync(cwd)
      writeFileSync(join(cwd, 'package.json'), JSON.stringify({ type }))
      writeIn(
        cwd,
        'used.ts',
        `import { App, Endpoint, Files, inject, listenNode, readSite, Reply, Text, Type } from 'waybill-web'

export class Default extends Endpoint<{ readonly notes: Map<number, string> }> {
  static positionals = { GET: [Type.Integer()] }
  static keywords = { POST: Type.Object({ text: Text({ minLength: 1 }) }) }
  GET(id: number): string | undefined {
    return this.services.notes.get(id)
  }
  POST({ text }: { text: string }): Reply {
    return new Reply(201, text)
  }
}
export class Assets extends Files {
  static directory = 'public'
}
export const parts = [App, inject, listenNode, readSite]
`,
      )
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'es2023', strict: true, skipLibCheck: false, noEmit: true },
        typeRoots: [join(project, 'node_modules/@types')],
        types: ['node'],
      }
      writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['used.ts'] }))
      const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
      const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', cwd]).catch(
        (error: { stdout: string }) => error,
      )
      expect(stdout).toBe('')
    },
  )
})

describe('a project of waybill-web new', () => {
  test('npm test and npm run types → no error', async () => {
    expect(await npm(project, 'test')).toMatch(/Tests +4 passed/)
    await npm(project, 'run', 'types')
  })

  test('npm run dev → serves the sources', async () => {
    const { url } = await startServer({
      program: [join(project, PROGRAM)],
      args: argsOf('dev'),
      cwd: project,
    })
    expect(await (await fetch(`${url}/notes`)).json()).toEqual([])
  })

  test('npm run build → JavaScript and static files, without tests; it serves without a loader', async () => {
    writeIn(
      project,
      'endpoints/site.ts',
      `import { Files } from 'waybill-web'
import settings from './settings.json' with { type: 'json' }
import { nameOf } from './_helpers/name.ts'
export class Default extends Files { static directory = 'public' }
export class Name extends Files { static directory = 'public'; static index = nameOf(settings) }`,
    )
    writeIn(project, 'endpoints/settings.json', '{ "name": "hello.txt" }')
    writeIn(
      project,
      'endpoints/_helpers/name.ts',
      'export const nameOf = ({ name }: { readonly name: string }): string => name',
    )
    writeIn(project, 'endpoints/_folder.ts', "export const cors = { origins: ['https://a.example'] }")
    writeIn(project, 'endpoints/public/hello.txt', 'hello')
    writeIn(project, 'dist/endpoints/removed.js', '')
    await npm(project, 'run', 'build')
    const built = readdirSync(join(project, 'dist'), { recursive: true, encoding: 'utf8' })
    expect(built.filter((file) => /\.\w+$/.test(file)).sort()).toEqual([
      ...['endpoints/_folder.js', 'endpoints/_helpers/name.js', 'endpoints/_services.js'],
      ...['endpoints/notes.js', 'endpoints/public/hello.txt', 'endpoints/settings.json'],
      'endpoints/site.js',
    ])
    // Only the packages of the project are left behind, tsx among them.
    cpSync(join(project, 'dist'), join(alone, 'dist'), { recursive: true })
    const { url } = await startServer({
      program: [join(alone, PROGRAM)],
      args: argsOf('start'),
      cwd: alone,
    })
    const headers = { origin: 'https://a.example' }
    const added = await fetch(`${url}/notes`, {
      method: 'POST',
      body: new URLSearchParams({ text: 'hello' }),
      headers,
    })
    expect([added.status, added.headers.get('access-control-allow-origin')]).toEqual([
      201,
      'https://a.example',
    ])
    expect(await (await fetch(`${url}/site/hello.txt`)).text()).toBe('hello')
    expect(await (await fetch(`${url}/site/name/`)).text()).toBe('hello')
    expect((await fetch(`${url}/v3/api-docs`)).status).toBe(200)
  })

  test('its Dockerfile → runs the same program as npm start', () => {
    const image = readFileSync(join(project, 'Dockerfile'), 'utf8')
    const command = JSON.parse(/^CMD (.*)$/m.exec(image)?.[1] as string) as string[]
    const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
    expect(command.join(' ')).toBe(`node_modules/.bin/${scripts.start} --host 0.0.0.0:8080`)
    expect(image).toMatch(/^RUN npm run build && npm prune --omit=dev/m)
  })
})

/** Returns the arguments of a script of the project, with a free port. */
function argsOf(script: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  return [...scripts[script].split(' ').slice(1), '--host', '127.0.0.1:0']
}

/** Returns whether a page has a heading with an anchor, as GitHub makes it. Without an anchor: true. */
function hasAnchor(page: string, anchor: string | undefined): boolean {
  if (anchor === undefined) return true
  return [...page.matchAll(/^#+ (.*)$/gm)].some(
    ([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-') === anchor,
  )
}
