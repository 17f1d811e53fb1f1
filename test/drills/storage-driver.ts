/** A storage driver: SQLite in a directory that is removed at the stop. It shows what a driver has to register. */
import { expect } from 'vitest'
import { type Drill, OPERATE } from './_support/drill.ts'
import { DrilledServer } from './_support/drilled-server.ts'

export const STORAGE_DRIVER: Drill = {
  change: 'a storage driver',
  name: 'storage-driver',
  goal: { changed: 0, created: 15 },
  beyond: 'a line in the list of drivers, and the meaning of storage.url in Russian',
  edits: {
    'src/store/drivers.ts': [
      [
        "import { POSTGRES } from './postgres/driver.ts'\n",
        "import { POSTGRES } from './postgres/driver.ts'\nimport { SCRATCH } from './scratch/driver.ts'\n",
      ],
      ['readonly StoreDriver[] = [POSTGRES]', 'readonly StoreDriver[] = [POSTGRES, SCRATCH]'],
    ],
    'src/config/meanings.ts': [
      [
        'postgres://USER:PASSWORD@HOST:PORT/DATABASE, хосты через запятую; пароль',
        'postgres://USER:PASSWORD@HOST:PORT/DATABASE, хосты через запятую; scratch://NAME — хранить только до остановки; пароль',
      ],
    ],
  },
  written: [OPERATE],
  copied: {
    'a server at its URL → keeps commands until it stops': async (copy) => {
      const begin = () => DrilledServer.start(copy, ['--store', 'scratch://trial'])
      const first = await begin()
      const { id } = await first.send('lamp', { command: 'on' })
      await first.report('lamp', { id, deliveryStatus: 'COMPLETED' })
      expect(await first.details(id)).toMatchObject({ deviseId: 'lamp', deliveryStatus: 'COMPLETED' })
      const { store } = await first.process.logged((line) => typeof line.http === 'string')
      expect(store).toBe('scratch://trial')
      expect(await first.process.kill()).toMatchObject({ code: 0 })
      const second = await begin()
      expect(await second.call('GET', '/admin/api/messages?deviseId=lamp')).toEqual([])
    },
  },
}
