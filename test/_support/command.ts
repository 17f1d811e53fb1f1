/** Runs a command of the command line in the process of the test. */
import { run } from '../../src/cli/program.ts'

export interface CommandResult {
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end. The environment of the test has no variables of the product, so only flags count. */
export function waybill(...argv: readonly string[]): Promise<CommandResult> {
  return waybillWith({}, ...argv)
}

/** Command that runs, with what it has written so far. */
export interface StartedCommand {
  readonly written: { readonly stdout: string; readonly stderr: string }
  readonly ended: Promise<number | undefined>
}

/** Starts a command that ends by itself, such as one with `--count`. */
export function startWaybill(...argv: readonly string[]): StartedCommand {
  const written = { stdout: '', stderr: '' }
  const out = (text: string): void => {
    written.stdout += text
  }
  const err = (text: string): void => {
    written.stderr += text
  }
  return { written, ended: run(argv, { out, err }, () => {}) }
}

/** Runs a command with a standard input, or with a signal that interrupts it. */
export async function waybillWith(
  { input = '', interruption }: { readonly input?: string; readonly interruption?: AbortSignal },
  ...argv: readonly string[]
): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' }
  const io = {
    out: (text: string): void => {
      written.stdout += text
    },
    err: (text: string): void => {
      written.stderr += text
    },
    input: async (): Promise<string> => input,
    ...(interruption && { interruption: () => interruption }),
  }
  const code = await run(argv, io, () => {})
  return { code, ...written }
}

/** Returns the output of `simulate` without the times. */
export function withoutTimes(stdout: string): string {
  return stdout.replaceAll(/^\d\d:\d\d:\d\d /gm, '').replaceAll(/^\{"time":"[^"]+",/gm, '{')
}

/** Returns the objects that a command printed with --json. */
export function jsonLines({ stdout }: Pick<CommandResult, 'stdout'>): Record<string, unknown>[] {
  const lines = stdout.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}
