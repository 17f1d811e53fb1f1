/** Ensures that all nodes on one database agree on the settings that must be equal. */
import { createHmac } from 'node:crypto'
import type { Setting } from '../config/row.ts'
import type { Settings } from '../config/settings.ts'
import { SETTINGS } from '../config/table.ts'
import { PermanentStartError } from '../process/start-error.ts'
import type { SharedValues } from '../store/shared-values.ts'

const NAME = 'agreed-settings'
const AGREED = SETTINGS.filter((setting: Setting) => setting.agreed === true)

/**
 * Compares the settings of this node with the stored settings of the other nodes. The first node stores its own.
 *
 * @throws {PermanentStartError} that names each different value, unless `changeSettings` makes this node's values the values of all
 */
export async function agreeOnSettings(shared: SharedValues, settings: Settings): Promise<void> {
  const own: Record<string, unknown> = {}
  for (const { key, name } of AGREED) own[key] = settings[name]
  await shared.alone(async () => {
    const stored = JSON.parse((await shared.get(NAME)) ?? '{}') as Record<string, unknown>
    const differing = Object.keys(own).filter((key) => key in stored && !isSame(own[key], stored[key]))
    if (differing.length > 0 && !settings.changeSettings) throw disagreement(differing, own, stored)
    // A later release may have stored settings that this release does not know.
    await shared.set(NAME, JSON.stringify({ ...stored, ...own }))
  })
}

/** Checks that all nodes sign tokens with the same secret. @throws {PermanentStartError} */
export async function agreeOnSecret(
  shared: SharedValues,
  secret: string,
  { changeSettings }: Pick<Settings, 'changeSettings'>,
): Promise<void> {
  const check = createHmac('sha256', secret).update('the secret of all nodes').digest('base64url')
  if (changeSettings) return shared.set('jwt-secret-check', check)
  if ((await shared.ensure('jwt-secret-check', check)) === check) return
  throw new PermanentStartError(
    'JWT_SECRET is not that of the other nodes on this database: start each node with the same secret, or without one on all. --change-settings makes the secret of this node that of all, which ends all tokens',
  )
}

function isSame(own: unknown, stored: unknown): boolean {
  return JSON.stringify(own) === JSON.stringify(stored)
}

function disagreement(
  keys: readonly string[],
  own: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): PermanentStartError {
  const lines = keys.map(
    (key) =>
      `${key} is ${JSON.stringify(own[key])} here and ${JSON.stringify(stored[key])} on the other nodes`,
  )
  return new PermanentStartError(
    `${lines.join('\n')}\nGive this node the same values, or start it once with --change-settings, then the other nodes with the new values`,
  )
}
