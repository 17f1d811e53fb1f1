/** The settings of a device: one field for each that the server names. An empty field means the general value. */
import { useState } from 'preact/hooks'
import type { DeviceSettings } from '../../client/index.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { changeDeviceSettings } from '../state/devices.ts'
import { useTexts } from '../texts/texts.ts'

/** The values of the settings that are not numbers. */
const CHOICES: Readonly<Record<string, readonly (string | boolean)[] | undefined>> = {
  nextAfter: ['DELIVERED', 'COMPLETED'],
  details: [true, false],
} satisfies Partial<Record<keyof DeviceSettings, unknown>>

interface SettingsFormProps {
  readonly id: string
  readonly settings: DeviceSettings
  readonly onClose: () => void
}

export function SettingsForm({ id, settings, onClose }: SettingsFormProps) {
  const t = useTexts('device')
  const names = useTexts('deviceSettings')
  const common = useTexts('common')
  const textOf = useProblemText()
  const [problem, setProblem] = useState<string | null>(null)
  const fields = Object.keys(settings) as (keyof DeviceSettings)[]

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const entries = fields.map((name) => [name, settingOf(name, form.get(name) as string)])
    try {
      await changeDeviceSettings(id, Object.fromEntries(entries))
      onClose()
    } catch (error) {
      setProblem(textOf(error))
    }
  }

  return (
    <Dialog title={t.settings} onClose={onClose}>
      <form onSubmit={save}>
        <p class="muted">{t.settingsHint}</p>
        {fields.map((name) => (
          <SettingField key={name} name={name} label={names[name]} value={settings[name]} />
        ))}
        <p role="alert" class="problem">
          {problem}
        </p>
        <div class="actions">
          <button type="button" class="quiet" onClick={onClose}>
            {common.close}
          </button>
          <button type="submit">{common.save}</button>
        </div>
      </form>
    </Dialog>
  )
}

type Value = DeviceSettings[keyof DeviceSettings]

interface SettingFieldProps {
  readonly name: keyof DeviceSettings
  readonly label: string
  readonly value: Value | undefined
}

function SettingField({ name, label, value }: SettingFieldProps) {
  const t = useTexts('device')
  const words: Readonly<Record<string, string>> = useTexts('settingValues')
  const choices = CHOICES[name]
  if (!choices) {
    return (
      <label>
        {label}
        <input type="number" name={name} defaultValue={String(value ?? '')} />
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
