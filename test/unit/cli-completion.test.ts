/** The answers of `waybill complete` to the script of a shell. */
import { afterEach, expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { waybill } from '../_support/command.ts'

afterEach(() => vi.unstubAllEnvs())

/** Returns the values for a line. Its last word is the one at the cursor. */
async function complete(...words: readonly string[]): Promise<string[]> {
  const before = words.slice(0, -1)
  const { code, stdout } = await waybill('complete', `--current=${words.at(-1)}`, '--', ...before)
  expect(code).toBe(0)
  return stdout.split('\n').flatMap((line) => line.split('\t')[0] || [])
}

test.each<[words: string[], values: string[]]>([
  [['se'], ['serve', 'send']],
  [['complet'], ['completion']],
  [['client', 'a'], ['add']],
  [['--dat'], ['--data-dir']],
  [['serve', '--dat'], ['--data-dir']],
  [['send', 'x', 'y', '--dat'], ['--data']],
  [['send', '--guarantee', 'O'], ['ONLY_LAST']],
  [['send', '--guarantee', '=', 'O'], ['ONLY_LAST']],
  [['send', '--guarantee=O'], ['--guarantee=ONLY_LAST']],
  [['send', '--guarantee', 'NO', '--tim'], ['--timeout']],
  [['simulate', 'x', '--mqtt', '--fa'], ['--fail']],
  [['client', 'add', 'x', '--role', 'M'], ['MAN']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish', 'powershell'],
  ],
  [['db', 'restore', ''], [':files']],
  [['send', '--cacert', ''], [':files']],
  [['export', '--output', ''], [':files']],
  [['export', '--format', 'j'], ['jsonl']],
  [['--config', ''], [':files']],
  [['send', ''], []],
  [['send', '--data', ''], []],
  [['sned', ''], []],
  [['sned', 'x', '--u'], []],
])('%j → %j', async (words, values) => {
  expect(await complete(...words)).toEqual(values)
})

test('names of contexts → those that are saved; none if the file is damaged', async () => {
  vi.stubEnv('XDG_CONFIG_HOME', temporaryDirectory())
  expect(await complete('send', '--context', '')).toEqual([])
  for (const name of ['prod', 'test']) await waybill('context', 'add', name)
  expect(await complete('send', '--context', '')).toEqual(['prod', 'test'])
  expect(await complete('context', 'select', 'p')).toEqual(['prod'])
  expect(await complete('context', 'add', 'p')).toEqual([])
})
