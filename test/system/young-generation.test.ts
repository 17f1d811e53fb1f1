/** Checks that V8 knows the flag with which the heap's young generation stays small during a start. */
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { BUILT, runCommand } from '../_support/server.ts'

const MIB = 1_048_576

test('young generation: many objects survive → it grows when growth is allowed, and not before', async () => {
  const module = join(dirname(BUILT[0] as string), '../../build/src/process/young-generation.js')
  const code = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { allowGrowth, preventGrowth } from ${JSON.stringify(pathToFileURL(module))}
    const kept = []
    const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size
    const allocate = () => { for (let i = 0; i < 300_000; i++) kept.push({ i, text: 'text ' + i }) }
    preventGrowth()
    allocate()
    const before = size()
    allowGrowth()
    allocate()
    console.log(JSON.stringify([before, size()]))`
  const { stdout, stderr } = await runCommand({ program: ['--input-type=module', '-e', code] })
  expect(stderr).toBe('')
  const [before, after] = JSON.parse(stdout) as [number, number]
  expect(before).toBeLessThanOrEqual(4 * MIB)
  expect(after).toBeGreaterThan(2 * before)
})
