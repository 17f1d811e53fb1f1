/** Shows the devices of a command as tokens with their state, and a field to add more. */
import { X } from 'lucide-preact'
import { useId, useState } from 'preact/hooks'
import { loadDevice } from '../state/devices.ts'
import { suggestedDevices } from '../state/draft.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { Combobox } from './combobox.tsx'
import { PresenceBadge } from './presence-badge.tsx'

/** Maximum tokens that show their state. The state of each costs a request. */
const MAX_STATES = 20

interface DeviceTokensProps {
  readonly value: readonly string[]
  readonly onChange: (deviceIds: readonly string[]) => void
  /** Reasons why devices refused the last command. */
  readonly reasons: ReadonlyMap<string, string>
}

export function DeviceTokens({ value, onChange, reasons }: DeviceTokensProps) {
  const t = useTexts('send')
  const common = useTexts('common')
  const id = useId()
  const [text, setText] = useState('')
  const add = (added: string): void => {
    setText('')
    if (added !== '' && !value.includes(added)) onChange([...value, added])
  }
  return (
    <div
      class="field devices-field"
      onFocusOut={() => add(text)}
      onKeyDownCapture={(event) => {
        if (event.key !== 'Enter' || text === '') return
        if (event.ctrlKey || event.metaKey) add(text)
        else event.preventDefault()
      }}
    >
      <label for={id}>{value.length > 1 ? t.devices : common.device}</label>
      {value.length > 0 && (
        <ul class="tokens">
          {value.map((each, i) => (
            <li key={each} class={reasons.has(each) ? 'token bad' : 'token'}>
              <span class="id" title={each}>
                {each}
              </span>
              {i < MAX_STATES && <TokenState deviceId={each} />}
              {reasons.has(each) && <small class="reason">{reasons.get(each)}</small>}
              <button
                type="button"
                class="icon"
                aria-label={t.removeDevice({ device: each })}
                onClick={() => onChange(value.filter((other) => other !== each))}
              >
                <X size={14} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Combobox
        id={id}
        class="id"
        value={text}
        isRequired={value.length === 0}
        isOptional={value.length > 0}
        placeholder={value.length > 0 ? t.addDevice : undefined}
        describedBy={`${id}-hint`}
        load={suggestedDevices}
        onInput={setText}
        onChoose={add}
      />
      <small id={`${id}-hint`}>{t.deviceHint}</small>
    </div>
  )
}

function TokenState({ deviceId }: { deviceId: string }) {
  const t = useTexts('send')
  const found = useResource(`token/${deviceId}`, () => loadDevice(deviceId))
  if (!found.value) return null
  const { device } = found.value
  const { lastSeenDate, waiting } = device
  return (
    <span class="state">
      {lastSeenDate === null ? t.neverSeen : <PresenceBadge device={device} />}
      {waiting > 0 && <small>{t.pending(waiting)}</small>}
    </span>
  )
}
