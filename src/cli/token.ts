/** `waybill token`: logs in and prints the token, for programs that must not have the password. */
import type { Command } from 'commander'
import { EXIT, Exit } from '../process/exit.ts'
import { addExamples } from '../runner/examples.ts'
import { type Output, remote } from './remote.ts'

export function addToken(program: Command, output: Output): void {
  const command = program.command('token').description('print a token, as in WAYBILL_TOKEN=$(waybill token)')
  addExamples(command, ['token --user admin --password secret', 'token --context site'])
  remote(command, output, async ({ client, flags: { user, password }, print }) => {
    if (user === undefined || password === undefined) {
      throw new Exit(EXIT.usage, 'log in with --user and --password, or WAYBILL_USER and WAYBILL_PASSWORD')
    }
    const login = await client.login(user, password)
    print(login, login.accessToken)
  })
}
