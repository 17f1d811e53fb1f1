/** Settings of a device: one field per setting of the server. An empty field selects the general value. */
import { SlidersHorizontal } from 'lucide-preact'
import type { DeviceSettings } from '../../client/index.ts'
import { AdminOnly } from '../parts/admin-only.tsx'
import { DialogForm } from '../parts/dialog-form.tsx'
import { useNumberText } from '../parts/numbers.ts'
import { changeDeviceSettings } from '../state/devices.ts'
import { useResource } from '../state/resource.ts'
import { loadSystem } from '../state/system.ts'
import { useTexts } from '../texts/texts.ts'

/** Values of the settings that are not numbers. */
const CHOICES: Readonly<Record<string, readonly (string | boolean)[] | undefined>> = {
  nextAfter: ['DELIVERED', 'COMPLETED'],
  details: [true, false],
} satisfies Partial<Record<keyof DeviceSettings, unknown>>

/** Names of the general settings, by the corresponding settings of a device. */
const GENERAL: Readonly<Record<string, string | undefined>> = {
  sendMessagePeriod: 'COMMON_SEND_MESSAGE_PERIOD',
  maxAttempts: 'COMMON_MAX_ATTEMPTS',
  validSeconds: 'WAYBILL_VALID_SECONDS',
  queueLimit: 'WAYBILL_QUEUE_LIMIT',
  queueBytes: 'WAYBILL_QUEUE_BYTES',
} satisfies Partial<Record<keyof DeviceSettings, string>>

/** Returns a function that formats the general value of a setting; undefined without one. */
function useGeneralText(): (name: string) => string | undefined {
  const t = useTexts('device')
  const number = useNumberText()
  const system = useResource('system', loadSystem)
  return (name) => {
    const value = system.value?.settings.find(({ env }) => env !== null && env === GENERAL[name])?.value
    return typeof value === 'number' ? t.general({ value: number(value) }) : undefined
  }
}

/** Lists the device's own settings. */
export function OwnSettings({ settings, onChange }: { settings: DeviceSettings; onChange: () => void }) {
  const t = useTexts('device')
  const names = useTexts('deviceSettings')
  const words: Readonly<Record<string, string>> = useTexts('settingValues')
  const number = useNumberText()
  const own = (Object.keys(settings) as (keyof DeviceSettings)[]).filter((name) => settings[name] != null)
  return (
    <section aria-labelledby="settings">
      <div class="section-heading">
        <h2 id="settings">{t.settings}</h2>
        <AdminOnly>
          <button type="button" class="small quiet" onClick={onChange}>
            <SlidersHorizontal size={14} aria-hidden="true" /> {t.showSettings}
          </button>
        </AdminOnly>
      </div>
      {own.length === 0 ? (
        <p class="muted">{t.onlyGeneral}</p>
      ) : (
        <dl class="facts">
          {own.map((name) => {
            const value = settings[name]
            return (
              <div key={name}>
                <dt>{names[name]}</dt>
                <dd>{typeof value === 'number' ? number(value) : words[String(value)]}</dd>
              </div>
            )
          })}
        </dl>
      )}
    </section>
  )
}

interface SettingsFormProps {
  readonly id: string
  readonly settings: DeviceSettings
  readonly onClose: () => void
}

export function SettingsForm({ id, settings, onClose }: SettingsFormProps) {
  const t = useTexts('device')
  const names = useTexts('deviceSettings')
  const common = useTexts('common')
  const fields = Object.keys(settings) as (keyof DeviceSettings)[]
  const general = useGeneralText()
  const save = (values: FormData): Promise<void> => {
    const entries = fields.map((name) => [name, settingOf(name, values.get(name) as string)])
    return changeDeviceSettings(id, Object.fromEntries(entries))
  }
  return (
    <DialogForm title={t.settings} action={common.save} run={save} onDone={onClose} onClose={onClose}>
      <p class="muted">{t.settingsHint}</p>
      {fields.map((name) => (
        <SettingField
          key={name}
          name={name}
          label={names[name]}
          value={settings[name]}
          general={general(name)}
        />
      ))}
    </DialogForm>
  )
}

type Value = DeviceSettings[keyof DeviceSettings]

interface SettingFieldProps {
  readonly name: keyof DeviceSettings
  readonly label: string
  readonly value: Value | undefined
  /** General value as text; undefined without one, or if it is still unknown. */
  readonly general: string | undefined
}

function SettingField({ name, label, value, general }: SettingFieldProps) {
  const t = useTexts('device')
  const words: Readonly<Record<string, string>> = useTexts('settingValues')
  const choices = CHOICES[name]
  if (!choices) {
    return (
      <label>
        {label}
        <input type="number" name={name} defaultValue={String(value ?? '')} placeholder={general ?? ''} />
      </label>
    )
  }
  return (
    <label>
      {label}
      <select name={name}>
        <option value="">{t.generalValue}</option>
        {choices.map((choice) => (
          <option key={String(choice)} value={String(choice)} selected={choice === value}>
            {words[String(choice)]}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Returns the value of a field; null for an empty one. */
function settingOf(name: keyof DeviceSettings, text: string): Value {
  if (text === '') return null
  const choice = CHOICES[name]?.find((each) => String(each) === text)
  return (choice ?? Number(text)) as Value
}
