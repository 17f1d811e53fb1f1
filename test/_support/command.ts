/** Runs a command of the command line in the process of the test. */
import { run } from '../../src/cli.ts'

export interface CommandResult {
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end. The environment of the test has no variables of the product, so flags alone count. */
export async function waybill(...argv: readonly string[]): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' }
  const io = {
    out: (text: string): void => {
      written.stdout += text
    },
    err: (text: string): void => {
      written.stderr += text
    },
  }
  const code = await run(argv, io, () => {})
  return { code, ...written }
}

/** Returns the objects that a command printed with --json. */
export function jsonLines({ stdout }: Pick<CommandResult, 'stdout'>): Record<string, unknown>[] {
  const lines = stdout.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}
