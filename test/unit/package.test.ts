/** package.json as npm installs it: a script that npm runs at an installation, or warns about, comes from a dependency only. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

// npm 11 lists these for a tarball, also `prepare`, which it never runs for one.
test.each(['preinstall', 'install', 'postinstall', 'prepare'])('package.json: script %s → none', (name) => {
  expect(scripts).not.toHaveProperty(name)
})

test('package.json: a clone, a dependency from git, a package → built', () => {
  expect([scripts.postprepare, scripts.prepack]).toEqual(['npm run build', 'npm run build'])
})
