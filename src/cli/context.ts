/** `waybill context`: saves servers and logins under names, and selects the default context. Calls no server. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamplesTo } from '../runner/examples.ts'
import { savedOptions, serverUrl } from './connection.ts'
import {
  contextName,
  contextNamed,
  contextPath,
  readContexts,
  type SavedContext,
  type SavedContexts,
  savedNames,
  writeContexts,
} from './context-file.ts'
import { inputText } from './input.ts'
import type { Output } from './remote.ts'
import { trustOf } from './tls.ts'

interface AddFlags extends SavedContext {
  readonly select?: true
  readonly force?: true
}

export function addContexts(program: Command, output: Output): void {
  const group = program.command('context').description('save servers and logins under names')
  const add = group
    .command('add <name>')
    .description('save a server and a login under a name')
    .option('--select', 'also select the context')
    .option('--force', 'replace a context of this name')
    .action(async (name: string, flags: AddFlags) => {
      const { select = false, force = false, ...given } = flags
      const saved = readContexts(contextPath())
      if (contextNamed(saved, contextName(name)) && !force)
        throw new Exit(EXIT.failure, `there is a context "${name}": replace it with --force`)
      const context = await checked(given, output)
      const contexts = { ...saved.contexts, [name]: context }
      writeContexts(contextPath(), { ...saved, contexts, ...(select && { selected: name }) })
      output.out(`${name} saved in ${contextPath()}\n`)
    })
  for (const option of savedOptions()) add.addOption(option)
  group
    .command('list')
    .description('list all contexts; * marks the selected one')
    .option('--json', 'print a JSON object for each context, one a line')
    .action(({ json }: { json?: true }) => {
      const saved = readContexts(contextPath())
      for (const name of Object.keys(saved.contexts)) {
        const shown = shownContext(saved, name)
        const line = [shown.selected ? '*' : ' ', name, shown.url, shown.user ?? ''].join('\t').trimEnd()
        output.out(`${json ? JSON.stringify(shown) : line}\n`)
      }
    })
  group
    .command('show [context]')
    .description('show a context, by default the selected one; passwords and tokens are not shown')
    .option('--json', 'print a JSON object')
    .action((name: string | undefined, { json }: { json?: true }) => {
      const saved = readContexts(contextPath())
      const shown = shownContext(saved, existing(saved, name ?? saved.selected))
      const lines = Object.entries(shown).map(([member, value]) => `${member}\t${value ?? '-'}\n`)
      output.out(json ? `${JSON.stringify(shown)}\n` : lines.join(''))
    })
  group
    .command('select [context]')
    .description('use a context in later commands; without a name, use none')
    .action((name: string | undefined) => {
      const { selected: _, ...saved } = readContexts(contextPath())
      const selected = name === undefined ? {} : { selected: existing(saved, name) }
      writeContexts(contextPath(), { ...saved, ...selected })
      output.out(name === undefined ? 'no context is selected\n' : `${name} selected\n`)
    })
  group
    .command('remove <context>')
    .description('remove a context')
    .action((name: string) => {
      const saved = readContexts(contextPath())
      const { [existing(saved, name)]: _, ...contexts } = saved.contexts
      const { selected } = saved
      writeContexts(contextPath(), {
        contexts,
        ...(selected !== undefined && selected !== name && { selected }),
      })
      output.out(`${name} removed\n`)
    })
  addExamplesTo(group, {
    add: [
      'context add site --url https://waybill.example --user anna --password - --cacert ca.pem',
      'token | waybill context add local --token - --select',
    ],
    list: ['context list', 'context list --json'],
    show: ['context show', 'context show site --json'],
    select: ['context select site', 'context select'],
    remove: ['context remove site'],
  })
}

/** Returns the context of the flags. A password or token of `-` is read from standard input. @throws {Exit} */
async function checked(given: SavedContext, output: Output): Promise<SavedContext> {
  const { url, user, password, token, cacert, insecure } = given
  serverUrl(url)
  trustOf({ ...(cacert !== undefined && { cacert }) })
  if (password === '-' && token === '-')
    throw new Exit(EXIT.usage, 'only one of --password and --token can be read from the standard input')
  const secret = async (value: string): Promise<string> => {
    const text = value === '-' ? (await inputText(output)).replace(/\r?\n$/, '') : value
    if (text === '') throw new Exit(EXIT.usage, 'the password or token is empty: nothing was saved')
    return text
  }
  return {
    url,
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password: await secret(password) }),
    ...(token !== undefined && { token: await secret(token) }),
    ...(cacert !== undefined && { cacert: resolve(cacert) }),
    ...(insecure && { insecure }),
  }
}

/** Returns the name of an existing context. @throws {Exit} */
function existing(saved: SavedContexts, name: string | undefined): string {
  if (name === undefined) throw new Exit(EXIT.notFound, `no context is selected. ${savedNames(saved)}`)
  if (contextNamed(saved, name)) return name
  throw new Exit(EXIT.notFound, `there is no context "${name}". ${savedNames(saved)}`)
}

/** Returns the displayable members of a context. */
function shownContext(saved: SavedContexts, name: string) {
  const {
    url,
    user = null,
    password,
    token,
    cacert = null,
    insecure = false,
  } = saved.contexts[name] as SavedContext
  const login = token !== undefined ? 'token' : password !== undefined ? 'password' : null
  return { name, selected: name === saved.selected, url, user, login, cacert, insecure }
}
