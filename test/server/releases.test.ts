/**
 * The schema of each release stays as it was, and its data directory opens. `RELEASE=write` keeps the present release, once its
 * version is in package.json: RELEASING.md.
 */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { version } from '../../src/process/version.ts'
import { STEPS } from '../../src/store/postgres/schema/schema.ts'
import { MIGRATIONS } from '../../src/store/sqlite/schema/migrations.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { changedSteps, openRelease, RELEASES, releases, writeRelease } from '../_support/releases.ts'

if (process.env.RELEASE === 'write') {
  test('this release: written', async () => {
    expect(releases(), 'this release is kept already').not.toContain(version())
    await writeRelease(join(RELEASES, version()))
  })
}

describe.each(releases())('release %s', (name) => {
  const directory = join(RELEASES, name)

  test('its schema steps → unchanged', () => {
    expect(changedSteps(directory)).toEqual([])
  })

  test('its data directory → opens with all that it had', async () => {
    const { found, kept } = await openRelease(directory)
    expect(found).toMatchObject(kept)
  })
})

describe('a release that is written now', () => {
  const directory = temporaryDirectory()
  let writing: Promise<void> | undefined
  /** Writes the release once. A hook would write it also where the tests are left out. */
  const written = (): Promise<void> => {
    writing ??= writeRelease(directory)
    return writing
  }

  test('its data directory → opens with all that it had', async () => {
    await written()
    const { found, kept } = await openRelease(directory)
    expect(kept.messages.length).toBeGreaterThanOrEqual(9)
    expect(new Set(kept.messages.map((each) => (each as { deliveryStatus: string }).deliveryStatus))).toEqual(
      new Set(['NOT_DELIVERED', 'DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR', 'CANCELLED', 'UNKNOWN']),
    )
    expect(found).toMatchObject(kept)
  })

  test('a step is appended → no finding; one is edited or removed → named', async () => {
    await written()
    const [sqlite, postgres] = [[...MIGRATIONS], STEPS.map(({ sql }) => sql)]
    const added = 'CREATE TABLE added (a)'
    expect(changedSteps(directory)).toEqual([])
    expect(changedSteps(directory, { sqlite: [...sqlite, added], postgres: [...postgres, added] })).toEqual(
      [],
    )
    const edited = (steps: string[]): string[] => [`${steps[0]} `, ...steps.slice(1)]
    expect(changedSteps(directory, { sqlite: edited(sqlite), postgres: edited(postgres) })).toEqual(
      ['src/store/sqlite/schema/migrations.ts', 'src/store/postgres/schema/schema.ts'].map(
        (store) => `step 1 of ${store} was released: undo the change, and append a step that makes it`,
      ),
    )
    expect(changedSteps(directory, { sqlite: [], postgres })).toHaveLength(sqlite.length)
  })
})
