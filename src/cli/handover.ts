/** `waybill handover`: prints what changed since a time, for the next shift. */
import { type Command, Option } from 'commander'
import { addExamples } from '../runner/examples.ts'
import { type Output, remote } from './remote.ts'
import { lastTimeOfDay, pastTime, TIME_FORMS } from './times.ts'

const LANGUAGES = ['en', 'ru'] as const

interface Flags {
  readonly since?: number | 'last'
  readonly from?: number
  readonly to?: number
  readonly language: (typeof LANGUAGES)[number]
}

export function addHandover(program: Command, output: Output): void {
  const time = (text: string): number => pastTime(text, Date.now())
  const since = (text: string): number | 'last' =>
    text === 'last' ? 'last' : (lastTimeOfDay(text, Date.now()) ?? time(text))
  const command = program
    .command('handover')
    .description('show what changed since a time, for the next shift (default: a day)')
    .addOption(
      new Option(
        '--since <time>',
        `20:00 for the last time at 20:00, last for your last visit, ${TIME_FORMS}`,
      )
        .argParser(since)
        .conflicts('from'),
    )
    .option('--from <time>', `begin of the time: ${TIME_FORMS}`, time)
    .option('--to <time>', `end of the time (default: now): ${TIME_FORMS}`, time)
    .addOption(new Option('--language <language>', 'language of the text').choices(LANGUAGES).default('en'))
  remote<Flags>(command, output, async ({ client, flags, print }) => {
    const { since: begin, from = begin, to, language, json } = flags
    if (json) return print(await client.handover({ from, to }), null)
    const utcOffset = -new Date(to ?? Date.now()).getTimezoneOffset()
    print(null, (await client.handoverText({ from, to, language, utcOffset })).trimEnd())
  })
  addExamples(command, [
    'handover --since 20:00',
    'handover --since last',
    'handover --from 2026-01-15T20:00 --to 2026-01-16T06:00 --json',
  ])
}
