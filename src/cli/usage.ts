/** Formats the errors of a wrong use, such as an unknown command or flag. Commander suggests the intended name. */
import type { CommanderError } from 'commander'

/** Line below a usage error. */
const HINT = '"waybill --help" lists commands and flags.'

/** Returns whether Commander wrote the help of a command group, because no command of the group was named. */
export function isHelpWritten({ code }: CommanderError): boolean {
  return code === 'commander.help'
}

/** Returns the message of an error of Commander as one sentence. */
export function usageText({ message }: CommanderError): string {
  const [problem = '', suggestion] = message.replace(/^error: /, '').split('\n')
  return suggestion === undefined ? problem : `${problem}. ${suggestion.replace(/^\(|\)$/g, '')}`
}

/** Returns the message for people, with the hint to the help. */
export function usageLines(error: CommanderError): string {
  return `waybill: ${usageText(error)}\n${HINT}`
}

const OF_PROGRAM = new Set(['-h', '--help', '-V', '--version'])

/**
 * Inserts `serve` before arguments that name no command. Commander's own default command would receive each unknown
 * word.
 */
export function withCommand(argv: readonly string[]): readonly string[] {
  const [first] = argv
  const namesNone = first === undefined || (first.startsWith('-') && !OF_PROGRAM.has(first))
  return namesNone ? ['serve', ...argv] : argv
}
