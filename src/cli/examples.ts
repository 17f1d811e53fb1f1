/** Adds examples to the help of a command. */
import type { Command } from 'commander'

/** @param lines commands as a user types them, without the name of the program */
export function addExamples(command: Command, lines: readonly string[]): Command {
  const shown = lines.map((line) => `  $ waybill ${line}`)
  return command.addHelpText('after', `\nExamples:\n${shown.join('\n')}`)
}

export function addExamplesTo(group: Command, lines: Readonly<Record<string, readonly string[]>>): void {
  for (const command of group.commands) {
    const own = lines[command.name()]
    if (own) addExamples(command, own)
  }
}
