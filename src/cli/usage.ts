/** Words the errors of a wrong use, such as an unknown command or flag. Commander finds the name that was probably meant. */
import type { CommanderError } from 'commander'

/** Line below such an error in text. */
const HINT = '"waybill --help" lists commands and flags.'

/** Tells whether Commander wrote the help of a group of commands, because none of the group was named. */
export function isHelpWritten({ code }: CommanderError): boolean {
  return code === 'commander.help'
}

/** Returns the message of an error of Commander as one sentence. */
export function usageText({ message }: CommanderError): string {
  const [problem = '', suggestion] = message.replace(/^error: /, '').split('\n')
  return suggestion === undefined ? problem : `${problem}. ${suggestion.replace(/^\(|\)$/g, '')}`
}

/** Returns the same for people, with the command that helps. */
export function usageLines(error: CommanderError): string {
  return `waybill: ${usageText(error)}\n${HINT}`
}

/** Flags that the program has without a command. */
const OF_PROGRAM = new Set(['-h', '--help', '-V', '--version'])

/**
 * Returns the arguments with `serve` before them, if they name no command. Commander can have a default command, but would
 * then give it each unknown word.
 */
export function withCommand(argv: readonly string[]): readonly string[] {
  const [first] = argv
  const namesNone = first === undefined || (first.startsWith('-') && !OF_PROGRAM.has(first))
  return namesNone ? ['serve', ...argv] : argv
}
