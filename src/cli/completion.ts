/** `waybill completion`: prints the completion script of a shell, and answers its queries. */
import { Argument, type Command } from 'commander'
import { addExamples } from '../runner/examples.ts'
import { COMPLETION_SCRIPTS } from './completion-scripts.ts'
import { completions, FILES } from './completions.ts'
import { contextPath, readContexts } from './context-file.ts'
import type { Output } from './remote.ts'

export function addCompletion(program: Command, { out }: Output): void {
  const script = program
    .command('completion')
    .addArgument(new Argument('<shell>', 'shell of the script').choices(Object.keys(COMPLETION_SCRIPTS)))
    .description('print the script with which a shell completes commands, flags and contexts')
    .action((shell: string) => out(COMPLETION_SCRIPTS[shell] as string))
  addExamples(script, ['completion bash', 'completion zsh', 'completion fish'])
  program
    .command('complete', { hidden: true })
    .argument('[words...]', 'words before the cursor')
    .option('--current <text>', 'beginning of the word at the cursor', '')
    .action((before: string[], { current }: { current: string }) => {
      const found = completions(program, { before, current }, contextNames)
      if (found === FILES) out(`${FILES}\n`)
      else for (const { value, description } of found) out(`${value}\t${description}\n`)
    })
}

/**
 * Returns the names of saved contexts; none if they are unreadable, because an error would break the command line being
 * typed.
 */
function contextNames(): readonly string[] {
  try {
    return Object.keys(readContexts(contextPath()).contexts)
  } catch {
    return []
  }
}
