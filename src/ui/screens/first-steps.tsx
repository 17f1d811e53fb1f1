/**
 * Guides through the first steps: a device, its connection, a command, its delivery. Each step is checked off
 * automatically.
 */
import { Circle, CircleCheck, Plus, Send } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Id } from '../parts/id.tsx'
import { useEachTick } from '../state/clock.ts'
import {
  concernsFirstSteps,
  endFirstDay,
  loadFirstSteps,
  type FirstSteps as Steps,
} from '../state/first-day.ts'
import { links } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { NewDevice } from './new-device.tsx'
import { Snippet } from './snippets.tsx'

/** Shows the first steps until a command was delivered, then the children. */
export function FirstDay({ children }: { children: ComponentChildren }) {
  const steps = useResource('first steps', loadFirstSteps, concernsFirstSteps)
  const [wasShown, setShown] = useState(false)
  useEachTick(() => {
    if (steps.value) steps.reload()
  })
  const { value, error } = steps
  const isNew = value != null && (wasShown || !value.isDelivered)
  // The last check mark is shown until the person leaves the screen.
  useEffect(() => setShown(isNew), [isNew])
  if (value === undefined && error === null) return null
  if (value == null || !isNew) return <>{children}</>
  const end = (): void => {
    endFirstDay()
    steps.reload()
  }
  return <FirstSteps steps={value} onChange={steps.reload} onEnd={end} />
}

interface FirstStepsProps {
  readonly steps: Steps
  readonly onChange: () => void
  /** Called when the person prefers the figures. */
  readonly onEnd: () => void
}

export function FirstSteps({ steps, onChange, onEnd }: FirstStepsProps) {
  const t = useTexts('firstSteps')
  const { device, isConnected, message, isDelivered } = steps
  const [isAdding, setAdding] = useState(false)
  const [created, setCreated] = useState<{ id: string; password: string } | null>(null)
  const id = device?.deviseId
  return (
    <section aria-labelledby="first-steps" class="card first-steps">
      <div class="attention-head">
        <h2 id="first-steps">{t.title}</h2>
        <button type="button" class="small quiet" onClick={onEnd}>
          {t.end}
        </button>
      </div>
      <ol>
        <Step title={t.add} isDone={device !== null} isNext={device === null}>
          {id === undefined ? (
            <AdminOnly>
              <button type="button" class="small" onClick={() => setAdding(true)}>
                <Plus size={14} aria-hidden="true" /> {t.addAction}
              </button>
            </AdminOnly>
          ) : (
            <Id id={id} link={links.device(id)} />
          )}
        </Step>
        <Step title={t.connect} isDone={isConnected || isDelivered} isNext={device !== null && !isConnected}>
          {id !== undefined && !isConnected && !isDelivered && (
            <Snippet id={id} password={created?.id === id ? created.password : null} />
          )}
        </Step>
        <Step title={t.send} isDone={message !== null} isNext={isConnected && message === null}>
          {id !== undefined && message === null && (
            <AdminOnly>
              <a class={`button small ${isConnected ? '' : 'quiet'}`} href={links.send({ deviseId: id })}>
                <Send size={14} aria-hidden="true" /> {t.sendAction}
              </a>
            </AdminOnly>
          )}
          {message !== null && (
            <a href={links.message(message.id)}>
              № {message.id} <span class="id">{message.command}</span>
            </a>
          )}
        </Step>
        <Step title={t.delivered} isDone={isDelivered} isNext={message !== null && !isDelivered}>
          {message !== null && !isDelivered && <span class="muted">{t.waiting}</span>}
        </Step>
      </ol>
      {isAdding && (
        <NewDevice
          onCreated={(made) => {
            setCreated(made)
            setAdding(false)
            onChange()
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  )
}

interface StepProps {
  readonly title: string
  readonly isDone: boolean
  readonly isNext: boolean
  readonly children?: ComponentChildren
}

function Step({ title, isDone, isNext, children }: StepProps) {
  const t = useTexts('firstSteps')
  const Icon = isDone ? CircleCheck : Circle
  return (
    <li class={isDone ? 'done' : isNext ? 'next' : ''} aria-current={isNext ? 'step' : undefined}>
      <Icon size={20} aria-hidden="true" />
      <div>
        <p>
          <strong>{title}</strong>
          {isDone && <span class="visually-hidden"> {t.done}</span>}
        </p>
        {children}
      </div>
    </li>
  )
}
