/** Each command has examples in its help, and each example is a command that the command line accepts. */
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { waybill } from '../_support/command.ts'

interface Example {
  readonly path: string
  readonly line: string
}

/** Returns the commands that a user can call, with the words that call them. */
function callable(command: Command, path: readonly string[] = []): string[][] {
  const own = path.length > 0 && (command as unknown as { _actionHandler: unknown })._actionHandler !== null
  const hidden = (command as unknown as { _hidden?: boolean })._hidden === true
  if (hidden) return []
  return [
    ...(own ? [[...path]] : []),
    ...command.commands.flatMap((each) => callable(each, [...path, each.name()])),
  ]
}

const silent = { out: () => {}, err: () => {} }
const paths = callable(await createProgram([], silent, () => {}))

async function examplesOf(path: readonly string[]): Promise<Example[]> {
  const { stdout } = await waybill(...path, '--help')
  const [, shown = ''] = stdout.split(/^Examples:$/m)
  return [...shown.matchAll(/^ {2}\$ (waybill .*)$/gm)].map(([, line]) => ({
    path: path.join(' '),
    line: line as string,
  }))
}

/** Splits a line as a shell does. Returns the arguments of each `waybill` in it, without redirections. */
function commandsIn(line: string): string[][] {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? (plain as string),
  )
  const commands: string[][] = []
  for (const [i, word] of words.entries()) {
    if (word === 'waybill') commands.push([])
    else if (word === '|' || /^[<>]$/.test(word) || /^[<>]$/.test(words[i - 1] ?? '')) continue
    else commands.at(-1)?.push(word)
  }
  return commands
}

/** Parses arguments as the command line does, but runs nothing. Returns the words of the command that would run. */
async function parsed(argv: readonly string[]): Promise<string> {
  let ran = ''
  const program = await createProgram([], silent, () => {})
  const replace = (command: Command, path: readonly string[]): void => {
    if (path.length > 0) {
      command.action(() => {
        ran = path.join(' ')
      })
    }
    for (const each of command.commands) replace(each, [...path, each.name()])
  }
  replace(program, [])
  await program.parseAsync(argv[0]?.startsWith('-') ? ['serve', ...argv] : [...argv], { from: 'user' })
  return ran
}

describe('help', () => {
  test('every command → at least one example', async () => {
    const counts = await Promise.all(
      paths.map(async (path) => ({ path, count: (await examplesOf(path)).length })),
    )
    const without = counts.filter(({ count }) => count === 0).map(({ path }) => path.join(' '))
    expect(without).toEqual([])
  })

  test.each(paths.map((path) => [path.join(' '), path] as const))(
    '%s: its examples → accepted, and about this command',
    async (name, path) => {
      const commands = (await examplesOf(path)).flatMap(({ line }) => commandsIn(line))
      const ran: string[] = []
      for (const command of commands) ran.push(await parsed(command))
      expect(ran).toContain(name)
      expect(ran).not.toContain('')
    },
  )
})
