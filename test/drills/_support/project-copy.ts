/** Copy of the project to which drills are applied. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { temporaryDirectory } from '../../_support/cleanup.ts'
import { PROJECT, runCommand } from '../../_support/server.ts'
import { CLIENT_TYPES, type Drill, directoryOf, newFilesOf } from './drill.ts'

/** Parts of the project in the copy. */
const COPIED = [
  ...['bench', 'bin', 'docs', 'endpoints', 'src', 'templates', 'test', 'tools'],
  ...['CONTRIBUTING.md', 'README.md', 'package.json', 'package-lock.json'],
  ...['tsconfig.json', 'tsconfig.build.json', 'vitest.config.ts'],
]

/** Tests that know the tables which the drills extend. */
const TABLE_TESTS = [
  'test/system/docs.test.ts',
  ...['client-types', 'config', 'imports', 'postgres-codes', 'ui-languages', 'ui-settings'].map(
    (name) => `test/unit/${name}.test.ts`,
  ),
]

export class ProjectCopy {
  readonly directory = temporaryDirectory()
  /** Arguments of node that start the program of the copy. */
  readonly program = ['--import', import.meta.resolve('tsx'), join(this.directory, 'bin/waybill.ts')]

  /** Texts that the drills gave to files. */
  readonly #texts = new Map<string, string>()

  constructor() {
    for (const name of COPIED) {
      cpSync(join(PROJECT, name), join(this.directory, name), {
        recursive: true,
        filter: (path) => basename(path) !== 'node_modules' && path !== join(PROJECT, 'test/drills/files'),
      })
    }
    symlinkSync(join(PROJECT, 'node_modules'), join(this.directory, 'node_modules'))
  }

  /** Applies the edits of a drill, and adds its new files. */
  apply(drill: Drill): void {
    for (const [path, edits] of Object.entries(drill.edits)) {
      const original = readFileSync(join(PROJECT, path), 'utf8')
      let text = this.read(path)
      for (const [before, after] of edits) {
        const places = original.split(before).length - 1
        expect([path, before, places], 'the place of an edit is in its file once').toEqual([path, before, 1])
        text = text.replace(before, () => after)
      }
      this.#texts.set(path, text)
      this.#write(path, text)
    }
    const derived = drill.derived ?? {}
    for (const path of newFilesOf(drill)) {
      const make = derived[path]
      const text = make
        ? make((source) => this.read(source))
        : readFileSync(join(directoryOf(drill), path), 'utf8')
      this.#write(path, text)
    }
  }

  read(path: string): string {
    return readFileSync(join(this.directory, path), 'utf8')
  }

  /** Returns whether a file differs from that of the project. */
  differs(path: string): boolean {
    return this.read(path) !== readFileSync(join(PROJECT, path), 'utf8')
  }

  /** Returns the files that a command has written, of those that commands of CONTRIBUTING.md may write. */
  filesWritten(): string[] {
    const pages = readdirSync(join(PROJECT, 'docs')).filter((name) => name.endsWith('.md'))
    return [CLIENT_TYPES, ...pages.map((name) => `docs/${name}`)].filter((path) => {
      const before = this.#texts.get(path) ?? readFileSync(join(PROJECT, path), 'utf8')
      return this.read(path) !== before
    })
  }

  /** Returns the names of the scripts of the built page that contain a text. */
  scriptsWith(text: string): string[] {
    return readdirSync(join(this.directory, 'dist/ui')).filter(
      (name) => name.endsWith('.js') && this.read(`dist/ui/${name}`).includes(text),
    )
  }

  async writeClientTypes(): Promise<void> {
    const args = ['types', '--prefix', '@broker']
    const types = await runCommand({ program: this.program, args, cwd: this.directory })
    expect(types).toMatchObject({ code: 0, stderr: '' })
    this.#write(CLIENT_TYPES, types.stdout)
  }

  /** Type-checks a part of the copy. Resolves to the messages of the compiler; empty if it compiles. */
  compile(...args: string[]): Promise<string> {
    return this.#run('typescript/bin/tsc', '--noEmit', ...args)
  }

  /** Builds the page into `dist/ui`. Resolves to the error; empty if it can be built. */
  buildPage(): Promise<string> {
    return this.#run('vite/bin/vite.js', 'build', 'src/ui', '--logLevel', 'error')
  }

  /** Runs the tests of the tables, which write the tables that follow from code. Resolves to the failures. */
  checkTables(): Promise<string> {
    const config = 'test/drills/_support/table-tests.config.ts'
    return this.#run('vitest/vitest.mjs', 'run', '--config', config, '--reporter', 'dot', ...TABLE_TESTS)
  }

  /** Runs a program of a package in the copy. Resolves to its output if it fails, else to an empty text. */
  async #run(program: string, ...args: string[]): Promise<string> {
    const { PATH = '', HOME = '' } = process.env
    // NODE_ENV of the test runner would make a development build of the page.
    const env = { PATH, HOME, DOCS: 'write', NODE_ENV: 'production' }
    const path = join(PROJECT, 'node_modules', program)
    try {
      await promisify(execFile)(process.execPath, [path, ...args], { cwd: this.directory, env })
      return ''
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      return stdout + stderr
    }
  }

  #write(path: string, text: string): void {
    const file = join(this.directory, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
