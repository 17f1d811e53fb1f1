/** The settings of a device: one field for each that the server names. An empty field means the general value. */
import { useState } from 'preact/hooks'
import type { DeviceSettings } from '../../client/index.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useProblemText } from '../parts/loaded.tsx'
import { changeDeviceSettings } from '../state/devices.ts'
import { useTexts } from '../texts/texts.ts'

interface SettingsFormProps {
  readonly id: string
  readonly settings: DeviceSettings
  readonly onClose: () => void
}

export function SettingsForm({ id, settings, onClose }: SettingsFormProps) {
  const t = useTexts('device')
  const names = useTexts('deviceSettings')
  const common = useTexts('words')
  const textOf = useProblemText()
  const [problem, setProblem] = useState<string | null>(null)
  const fields = Object.keys(settings) as (keyof DeviceSettings)[]

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const entries = fields.map((name) => [name, form.get(name) === '' ? null : Number(form.get(name))])
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
          <label key={name}>
            {names[name]}
            <input type="number" name={name} defaultValue={settings[name] ?? ''} />
          </label>
        ))}
        <p role="alert" class="problem">
          {problem}
        </p>
        <div class="actions">
          <button type="button" class="quiet" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit">{common.save}</button>
        </div>
      </form>
    </Dialog>
  )
}
