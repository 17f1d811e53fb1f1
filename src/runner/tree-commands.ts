/** Commands about trees of endpoint files: `routes`, `routes explain`, `types` and `new`. */
import type { Command, Option } from 'commander'
import { EXIT, Exit } from '../process/exit.ts'
import type { Site } from '../web/site.ts'
import { addExamples } from './examples.ts'
import { addNew, type NewOptions } from './new.ts'
import { listRoutes, routesAsJson } from './routes.ts'
import { explainRoute } from './routes-explain.ts'

type Flags = Readonly<Record<string, unknown>>

export interface TreeCommands extends NewOptions {
  /** Writes a line for people that is no result. */
  readonly err: (text: string) => void
  /** Returns new options for the prefixes. */
  readonly options: () => readonly Option[]
  /** Reads the trees that the flags name. @throws {TreeError} */
  readonly siteOf: (flags: Flags) => Promise<Site>
  /** Examples of `routes explain` that a reader of the help can try. */
  readonly explained: readonly string[]
}

export function addTreeCommands(program: Command, commands: TreeCommands): void {
  const { out, err, options, siteOf, explained } = commands
  const treesOf = async (flags: Flags): Promise<Site> => {
    const site = await siteOf(flags)
    for (const { text } of site.prefixes.flatMap(({ warnings }) => warnings)) err(`warning: ${text}\n`)
    return site
  }
  const routes = program
    .command('routes')
    .description('list every path: methods, path, file, class, access')
    .option('--json', 'print JSON: an object for each method and path, one a line')
    .option('--rules', 'show the rules of each method, and the file that declares each')
    .action(async (flags: Flags) => {
      const list = flags.json ? routesAsJson : listRoutes
      out(list(await treesOf(flags), { rules: flags.rules === true }))
    })
  addExamples(routes, ['routes', 'routes --rules --prefix endpoints', explained[0] as string])
  const explain = routes
    .command('explain <method> <path>')
    .description('show which handler answers a request, and the steps of the search')
    .option('--json', 'print JSON: what was found, and the steps')
    .action(async (method: string, path: string, flags: Flags, command: Command) => {
      const all = { ...command.optsWithGlobals<Flags>(), ...flags }
      const { text, found } = explainRoute(await treesOf(all), method, path)
      const steps = text
        .trimEnd()
        .split('\n')
        .map((line) => line.trim())
      out(all.json ? `${JSON.stringify({ method, path, found, steps })}\n` : text)
      if (!found) throw new Exit(EXIT.failure)
    })
  addExamples(explain, explained)
  const types = program
    .command('types')
    .description('print TypeScript types of the API, for clients')
    .action(async (flags: Flags) => {
      const { typesOf } = await import('./types.ts')
      out(await typesOf(await treesOf(flags)))
    })
  addExamples(types, ['types', 'types --prefix endpoints > api.d.ts'])
  for (const command of [routes, explain, types]) for (const option of options()) command.addOption(option)
  addNew(program, commands)
}
