/** The settings of a device: one field for each that the server names. An empty field means the general value. */
import { useState } from 'preact/hooks'
import type { DeviceSettings } from '../../client/index.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Loaded, useProblemText } from '../parts/loaded.tsx'
import { changeDeviceSettings, loadDeviceSettings } from '../state/devices.ts'
import { useResource } from '../state/resource.ts'
import { deviceTexts, settingTexts } from '../texts/device.ts'
import { useTexts } from '../texts/texts.ts'
import { words } from '../texts/words.ts'

interface DeviceSettingsProps {
  readonly id: string
  readonly onClose: () => void
}

export function DeviceSettingsDialog(props: DeviceSettingsProps) {
  const t = useTexts(deviceTexts)
  const found = useResource(`settings/${props.id}`, () => loadDeviceSettings(props.id))
  return (
    <Dialog title={t.settings} onClose={props.onClose}>
      <Loaded from={found}>{(settings) => <Form settings={settings} {...props} />}</Loaded>
    </Dialog>
  )
}

function Form({ id, settings, onClose }: DeviceSettingsProps & { settings: DeviceSettings }) {
  const t = useTexts(deviceTexts)
  const names = useTexts(settingTexts)
  const common = useTexts(words)
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
    <form onSubmit={save}>
      <p class="muted">{t.settingsHint}</p>
      {fields.map((name) => (
        <label key={name}>
          {names[name]}
          <input type="number" name={name} autocomplete="off" defaultValue={settings[name] ?? ''} />
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
  )
}
