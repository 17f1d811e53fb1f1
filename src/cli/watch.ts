/** `waybill watch`: prints live changes, one a line, until it is stopped. */
import type { Command } from 'commander'
import { type Output, remote } from './remote.ts'

interface Flags {
  readonly after?: string
}

export function addWatch(program: Command, output: Output): void {
  const command = program
    .command('watch')
    .description('print changes of messages and connections as they happen')
    .option('--after <id>', 'resume after the event with this id')
  remote<Flags>(command, output, async ({ client, flags: { after }, print }) => {
    for await (const live of client.subscribe(after === undefined ? {} : { lastEventId: after })) {
      print(live, `${live.id} ${live.event} ${JSON.stringify(live.data)}`)
    }
  })
}
