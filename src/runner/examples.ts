/** Adds examples to the help of a command. */
import type { Command } from 'commander'

/** @param lines commands as a user types them, without the name of the program */
export function addExamples(command: Command, lines: readonly string[]): Command {
  return command.addHelpText('after', (context) => {
    let root = context.command
    while (root.parent) root = root.parent
    return `\nExamples:\n${lines.map((line) => `  $ ${root.name()} ${line}`).join('\n')}`
  })
}

export function addExamplesTo(group: Command, lines: Readonly<Record<string, readonly string[]>>): void {
  for (const command of group.commands) {
    const own = lines[command.name()]
    if (own) addExamples(command, own)
  }
}
