/** `waybill new`: creates a project, or adds endpoints to a project. The files come from the directory `templates`. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { EXIT, Exit } from '../process/exit.ts'
import { kebab } from '../web/names.ts'
import { addExamples, addExamplesTo } from './examples.ts'
import { shownPath } from './shown-path.ts'

export interface NewOptions {
  readonly out: (text: string) => void
  /** Name and version of this package, on which a new project depends. */
  readonly packageName: string
  readonly version: string
  /** Members that this package adds to the package.json of a new project. */
  readonly manifest: Readonly<Record<string, object>>
}

const TEMPLATES = new URL('../../templates/', import.meta.url)
/** Names of template files that npm would not pack with their leading dot. */
const DOTTED: ReadonlySet<string> = new Set(['gitignore', 'dockerignore'])
const MODULE_FILE = /(?:\.test)?\.(?:ts|mts|js|mjs)$/
const KEBAB_PATH = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:\/[a-z][a-z0-9]*(?:-[a-z0-9]+)*)*$/

export function addNew(program: Command, options: NewOptions): void {
  const { out, packageName } = options
  const command = program
    .command('new')
    .argument('<dir>', 'directory that does not exist, or is empty')
    .description('make a project with an endpoint, its test and a Dockerfile')
    .action((directory: string) => out(newProject(directory, options)))
  command
    .command('endpoint')
    .argument('<name>', 'path of the endpoint in kebab-case, such as notes or admin/jobs')
    .option('--prefix <dir>', 'directory of the endpoints', 'endpoints')
    .description('add an endpoint and its test to a project')
    .action((name: string, { prefix }: { prefix: string }) => out(newEndpoint(name, prefix, packageName)))
  addExamples(command, ['new plant-service'])
  addExamplesTo(command, {
    endpoint: ['new endpoint notes', 'new endpoint admin/jobs --prefix src/endpoints'],
  })
}

/** Creates a project. Returns the next steps. @throws {Exit} when the directory is not empty */
function newProject(directory: string, options: NewOptions): string {
  const { packageName } = options
  const root = resolve(directory)
  if (entriesOf(root).length > 0) {
    throw new Exit(
      EXIT.failure,
      `${directory} is not empty: give ${packageName} new a directory that is new or empty`,
    )
  }
  const name =
    kebab(basename(root))
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'service'
  const template = new URL('project/', TEMPLATES)
  const files = readdirSync(template, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(new URL(file, template)).isFile())
    .sort()
  for (const file of files) {
    const text = readFileSync(new URL(file, template), 'utf8')
    write(join(root, DOTTED.has(file) ? `.${file}` : file), inProject(file, text, name, options))
  }
  const where = shownPath(root)
  return `Made ${where}, with ${files.length} files. Next:

${where === '.' ? '' : `  cd ${where}\n`}  npm install
  npm test
  npm run dev

Then open http://127.0.0.1:8080/notes, and read README.md.
`
}

/** Returns the text of a template in a project. */
function inProject(
  file: string,
  template: string,
  name: string,
  { packageName, version, manifest }: NewOptions,
): string {
  const text = ofPackage(template, packageName)
  if (file === 'README.md')
    return text.replace('# service', `# ${name}`).replaceAll(/(?<=-t |8080 )service/g, name)
  if (file !== 'package.json') return text
  const described: Record<string, object> = JSON.parse(text)
  const added: Readonly<Record<string, object>> = {
    ...manifest,
    dependencies: { [packageName]: `^${version}` },
  }
  for (const [member, values] of Object.entries(added))
    described[member] = { ...described[member], ...values }
  return `${JSON.stringify({ ...described, name }, null, 2)}\n`
}

/** Returns a template, which names `waybill`, with the name of this package. */
function ofPackage(template: string, packageName: string): string {
  return template.replaceAll(/\bwaybill\b/g, packageName)
}

/** Adds an endpoint and its test. Returns the path that answers now. @throws {Exit} for an invalid or existing name */
function newEndpoint(name: string, prefix: string, packageName: string): string {
  if (!KEBAB_PATH.test(name)) {
    throw new Exit(
      EXIT.usage,
      `"${name}" is no name for an endpoint: write it in kebab-case, such as notes or admin/jobs`,
    )
  }
  if (!statSync(prefix, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Exit(
      EXIT.failure,
      `there is no directory ${prefix} here: change to a project, make one with ${packageName} new DIR, or give --prefix DIR`,
    )
  }
  const base = join(prefix, name)
  const module = basename(name)
  const place = name.replace(/(?:^|\/)index$/, '')
  const existing = fileOf(prefix, place)
  if (existing !== null) throw new Exit(EXIT.failure, `${existing} exists: choose another name, or edit it`)
  for (const ending of ['.ts', '.test.ts']) {
    const text = readFileSync(new URL(`endpoint/example${ending}`, TEMPLATES), 'utf8')
    write(`${base}${ending}`, ofPackage(text, packageName).replaceAll('./example.ts', `./${module}.ts`))
  }
  return `Wrote ${base}.ts and ${base}.test.ts.\nGET /${place}?name=Ada answers "Hello Ada".\n`
}

/** Returns the file, or the test, of the module at a path; null without one. The path is in kebab-case. */
function fileOf(prefix: string, place: string): string | null {
  const directory = join(prefix, place)
  const beside = place === '' ? [] : filesOf(dirname(directory), basename(place))
  return beside[0] ?? filesOf(directory, 'index')[0] ?? null
}

/** Returns the source files in a directory for a module name, the shortest first. */
function filesOf(directory: string, module: string): string[] {
  return entriesOf(directory)
    .filter((name) => MODULE_FILE.test(name) && kebab(name.replace(MODULE_FILE, '')) === module)
    .sort((a, b) => a.length - b.length)
    .map((name) => join(directory, name))
}

/** Returns the names in a directory; none if it does not exist. @throws {Exit} if it is no directory */
function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new Exit(
      EXIT.failure,
      code === 'ENOTDIR' ? `${directory} is not a directory: choose another name` : message,
    )
  }
}

/** Writes a new file and creates its parent directories. */
function write(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    throw new Exit(EXIT.failure, `cannot write ${file}: ${(error as Error).message}`)
  }
}
