/** Finds the completions of a command line, from the commands as declared in Commander. Knows no shell. */
import type { Argument, Command, Option } from 'commander'

/** Answer that makes the shell complete file names. */
export const FILES = ':files'

export interface Completion {
  readonly value: string
  readonly description: string
}

export interface Line {
  /** Words between the name of the program and the cursor. */
  readonly before: readonly string[]
  /** Beginning of the word at the cursor. */
  readonly current: string
}

/** Position at the end of a line: the command, the flag that still needs its value, and the number of arguments. */
interface Place {
  readonly command: Command
  readonly flag: Option | null
  readonly args: number
}

/**
 * Returns the completions of a line, or {@link FILES}.
 *
 * @param contexts returns the names of saved contexts
 */
export function completions(
  program: Command,
  line: Line,
  contexts: () => readonly string[],
): readonly Completion[] | typeof FILES {
  // Bash splits at `=` and makes it a word of its own.
  const before = line.before.filter((word) => word !== '=')
  const current = line.current === '=' ? '' : line.current
  const place = placeOf(program, before)
  const [, name = '', value] = /^(--[^=]+)=(.*)$/.exec(current) ?? []
  const inline = value === undefined ? null : flagNamed(place.command, name)
  if (inline) {
    const found = valuesOf(inline, inline.attributeName(), inline.flags, contexts)
    return found === FILES ? FILES : beginningWith(current, prefixed(found, `${name}=`))
  }
  const found = atPlace(place, current, contexts)
  return found === FILES ? FILES : beginningWith(current, found)
}

function atPlace(
  { command, flag, args }: Place,
  current: string,
  contexts: () => readonly string[],
): readonly Completion[] | typeof FILES {
  if (flag?.required || (flag && !current.startsWith('-')))
    return valuesOf(flag, flag.attributeName(), flag.flags, contexts)
  if (current.startsWith('-'))
    return flagsOf(command).map(({ long, description }) => shown(long, description))
  if (args === 0 && command.commands.length > 0) return subcommands(command)
  const all = command.registeredArguments
  const argument = all[args] ?? all.findLast(({ variadic }) => variadic)
  return argument ? valuesOf(argument, argument.name(), `<${argument.name()}>`, contexts) : []
}

function placeOf(program: Command, words: readonly string[]): Place {
  let command = program
  let flag: Option | null = null
  let args = 0
  for (const word of words) {
    const isFlag = word.startsWith('-') && word !== '-'
    if (flag?.required || (flag && !isFlag)) {
      flag = null
      continue
    }
    flag = null
    if (isFlag) {
      const named = word.includes('=') ? null : flagNamed(command, word)
      if (named?.required || named?.optional) flag = named
      continue
    }
    const next = args === 0 ? command.commands.find((each) => each.name() === word) : undefined
    if (next) command = next
    else args++
  }
  return { command, flag, args }
}

/** Returns the flags of a command. The flags of `serve` may also stand without a command. */
function flagsOf(command: Command): readonly Option[] {
  const serve = command.parent === null ? command.commands.find((each) => each.name() === 'serve') : undefined
  const own = command.createHelp().visibleOptions(command)
  return serve ? [...own, ...serve.options] : own
}

function flagNamed(command: Command, name: string): Option | null {
  return flagsOf(command).find(({ long, short }) => long === name || short === name) ?? null
}

function subcommands(command: Command): Completion[] {
  const visible = command.createHelp().visibleCommands(command)
  return visible.map((each) => shown(each.name(), each.description()))
}

/** Returns the values of a flag or an argument. Its placeholder tells whether they are names of files or contexts. */
function valuesOf(
  { argChoices }: Option | Argument,
  name: string,
  placeholder: string,
  contexts: () => readonly string[],
): readonly Completion[] | typeof FILES {
  if (argChoices) return argChoices.map((choice) => shown(choice, ''))
  if (name === 'context') return contexts().map((each) => shown(each, ''))
  return /[<[](?:file|dir|path)[>\].]/.test(placeholder) ? FILES : []
}

const shown = (value: string | undefined, description: string): Completion => ({
  value: value ?? '',
  description: description.replaceAll(/\s+/g, ' '),
})

function prefixed(all: readonly Completion[], prefix: string): Completion[] {
  return all.map(({ value, description }) => ({ value: prefix + value, description }))
}

function beginningWith(current: string, all: readonly Completion[]): readonly Completion[] {
  return all.filter(({ value }) => value !== '' && value.startsWith(current))
}
