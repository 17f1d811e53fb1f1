/** Commands and flags, and the end of a command that starts no server: in a clone and in the built package. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SETTINGS } from '../../src/config/table.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { BUILT, CLONE, type CommandOptions, type Ended, PROJECT, runCommand } from '../_support/server.ts'

const HINT = '"waybill --help" lists commands and flags.\n'

describe.each([
  ['in a clone', CLONE],
  ['in the built package', BUILT],
])('%s', (_where, program) => {
  /** Runs a command in an empty directory: it must not need or leave anything there. */
  function waybill(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
    return runCommand({ program, args, cwd: temporaryDirectory(), ...options })
  }

  test('--help → every flag, variable and property', async () => {
    const { code, stdout, stderr } = await waybill(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const names = SETTINGS.flatMap(({ flag, env, key }) => [flag, env, key]).filter(
      (name) => name !== undefined,
    )
    for (const name of [...names, '--config <file>', 'WAYBILL_CONFIG', 'serve', 'routes', 'db']) {
      expect(stdout).toContain(name)
    }
  })

  test('serve --help → every flag', async () => {
    const { code, stdout } = await waybill(['serve', '--help'])
    expect(code).toBe(0)
    const flags = SETTINGS.flatMap(({ flag }) => flag ?? [])
    for (const flag of [...flags, '--config <file>']) expect(stdout).toContain(flag)
  })

  test('--version → the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string }
    expect(await waybill(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('wrong settings → exit code 78, a line for each on standard error', async () => {
    const config = join(temporaryDirectory(), 'waybill.yaml')
    writeFileSync(config, 'server: {prot: 8080}')
    const env = { JWT_SECRET: 'too-short', WAYBILL_QUEUE_LIMIT: 'many' }
    const { code, stdout, stderr } = await waybill(['--config', config, '--host', 'x:y'], { env })
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
    expect(stderr).not.toContain('too-short')
    expect(stderr.split('\n')).toEqual([
      'waybill: --host: expected HOST:PORT, HOST or PORT, not "x:y"',
      'waybill: JWT_SECRET: has 9 bytes; use at least 32',
      expect.stringMatching(/^waybill: WAYBILL_QUEUE_LIMIT: expected an integer of 1 to \d+, not "many"$/),
      `waybill: server.prot in ${config}: there is no such setting; "waybill --help" lists all settings`,
      '',
    ])
  })

  test('a flag with a wrong value → exit code 78', async () => {
    const { code, stderr } = await waybill(['--adapter', 'apache'])
    expect({ code, stderr }).toEqual({
      code: 78,
      stderr: 'waybill: --adapter: expected one of node, uws, not "apache"\n',
    })
  })
})

test.each([
  [['--hots', ':0'], /unknown option '--hots'/],
  [['start'], /unknown command 'start'/],
  [['serve', 'now'], /too many arguments/],
  [['routes', 'GET'], /too many arguments/],
  [['routes', 'explain', 'GET'], /missing required argument 'path'/],
  [['routes', 'explain', 'GET', '/', '/'], /too many arguments/],
  [['--prefix'], /argument missing/],
  [['db', 'restore'], /missing required argument 'file'/],
  [['db', 'check', 'now'], /too many arguments/],
  [['routes', '--adapter', 'uws'], /unknown option '--adapter'/],
])('wrong usage: %j → exit code 2', async (args, problem) => {
  const { code, stdout, stderr } = await runCommand({ args })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(problem)
  expect(stderr.endsWith(HINT)).toBe(true)
})
