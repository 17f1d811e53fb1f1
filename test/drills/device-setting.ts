/** A setting of a device: each command replaces the pending one of the same name. */
import { expect } from 'vitest'
import { added, CLIENT_TYPES, type Drill, MIGRATIONS, OPERATE, sqliteStep } from './_support/drill.ts'

export const DEVICE_SETTING: Drill = {
  change: 'a setting of a device',
  name: 'device-setting',
  goal: { changed: 6, created: 0 },
  edits: {
    'src/broker/vocabulary/device-settings.ts': [
      [
        '} satisfies Record<string, DeviceSetting>',
        `  onlyLast: {
    wireName: 'onlyLast',
    column: 'only_last',
    schema: Type.Boolean(),
    meaning: 'every command has the guarantee ONLY_LAST',
    general: null,
  },
} satisfies Record<string, DeviceSetting>`,
      ],
    ],
    [MIGRATIONS]: [sqliteStep('ALTER TABLE device_settings ADD COLUMN only_last INTEGER;')],
    'src/broker/engine/submissions.ts': [
      [
        "    const { deviceId, command, guarantee, data = '{}', senderId, replyTo = null } = submission\n",
        `    const { deviceId, command, data = '{}', senderId, replyTo = null } = submission
    const guarantee = settings.onlyLast === true ? 'ONLY_LAST' : submission.guarantee\n`,
      ],
    ],
    'src/ui/texts/en.ts': [
      added(
        "    expectedSeconds: 'Warn when not seen for this time, in seconds',\n",
        "    onlyLast: 'A command replaces the pending one of the same name',\n",
      ),
    ],
    'src/ui/texts/ru.ts': [
      added(
        "    expectedSeconds: 'Предупреждать, если устройства не видно дольше, в секундах',\n",
        "    onlyLast: 'Команда заменяет ждущую команду с тем же именем',\n",
      ),
    ],
  },
  written: [CLIENT_TYPES, OPERATE],
  served: {
    'devices set → a second command supersedes the first': async (server) => {
      await server.printed('devices', 'set', 'fan-1', '--only-last', 'true')
      const send = () => server.send('fan-1', { command: 'run' })
      const [{ id: first }, { id: second }] = [await send(), await send()]
      expect(await server.details(first)).toMatchObject({ deliveryStatus: 'CANCELLED', cause: 'SUPERSEDED' })
      expect(await server.details(second)).toMatchObject({ deliveryGuarantee: 'ONLY_LAST' })
    },
  },
}
