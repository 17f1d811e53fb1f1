/** Shows one incident: what it is about, what helps, its reasons, its members and its history. */
import { BellOff, Check, ChevronLeft, Flag, SearchX, Undo2, Wrench } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { Heading } from '../parts/heading.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Menu, type MenuItem } from '../parts/menu.tsx'
import { useEachTick } from '../state/clock.ts'
import { concernsIncident, type IncidentDetail, loadIncident } from '../state/incidents.ts'
import { links } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { mayChange } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'
import { useHelp } from './incident-acts.ts'
import { IncidentCards } from './incident-cards.tsx'
import { type IncidentAction, IncidentDialog, useIncidentChange } from './incident-dialog.tsx'
import { IncidentSentence, useSentence } from './incident-sentence.tsx'
import { ServiceDialog } from './incident-service.tsx'
import { IncidentState } from './incident-state.tsx'

export function IncidentScreen({ id }: { readonly id: number }) {
  const frame = useTexts('shell')
  const t = useTexts('incidents')
  const sentenceOf = useSentence()
  const incident = useResource(
    `incident/${id}`,
    () => loadIncident(id),
    (event) => concernsIncident(event, id),
  )
  useEachTick(incident.reload)
  const { value, error } = incident
  const isGone = error instanceof RequestError && error.status === 404
  const shown = isGone ? undefined : value
  return (
    <>
      <a class="back" href={links.incidents(shown?.state === 'ENDED' ? 'history' : '')}>
        <ChevronLeft size={16} aria-hidden="true" /> {frame.incidents}
      </a>
      <Heading
        title={shown ? sentenceOf(shown) : `${t.title} ${id}`}
        actions={shown && mayChange.value && <Actions incident={shown} onChange={incident.reload} />}
      >
        {shown ? (
          <>
            <span class="sentence">
              <IncidentSentence incident={shown} />
            </span>
            <IncidentState incident={shown} />
          </>
        ) : (
          `${t.title} ${id}`
        )}
      </Heading>
      {isGone ? (
        <Gone />
      ) : (
        <Loaded from={incident}>
          {(each) => <IncidentCards incident={each} onChange={incident.reload} />}
        </Loaded>
      )}
    </>
  )
}

interface ActionsProps {
  readonly incident: IncidentDetail
  readonly onChange: () => void
}

function Actions({ incident, onChange }: ActionsProps) {
  const t = useTexts('incidents')
  const common = useTexts('common')
  const { id, state, actions } = incident
  const help = useHelp(id, actions)
  const change = useIncidentChange(onChange)
  const [asked, setAsked] = useState<IncidentAction | 'service' | null>(null)
  const close = (): void => setAsked(null)
  if (state === 'ENDED') return null
  const devices = devicesOf(incident)
  const states: readonly MenuItem[] = [
    ...(state === 'OPEN'
      ? []
      : [{ label: t.reopen, icon: Undo2, run: () => change([id], { is: 'reopen' }) }]),
    { label: t.acknowledge, icon: Check, run: () => setAsked('acknowledge') },
    { label: t.mute, icon: BellOff, run: () => setAsked('mute') },
    { label: t.resolve, icon: Flag, run: () => setAsked('resolve') },
  ]
  const more: readonly MenuItem[] =
    devices.length === 0
      ? []
      : [{ label: t.service(devices.length), icon: Wrench, run: () => setAsked('service') }]
  const [first, ...others] = help
  return (
    <>
      {first && <Button act={first} isMain />}
      {states.slice(0, 1).map((act) => (
        <Button key={act.label} act={act} />
      ))}
      <Menu label={common.actions} items={[...states.slice(1), ...others, ...more]} />
      {asked !== null && asked !== 'service' && (
        <IncidentDialog act={asked} ids={[id]} onDone={onChange} onClose={close} />
      )}
      {asked === 'service' && <ServiceDialog devices={devices} onDone={onChange} onClose={close} />}
    </>
  )
}

/** Returns the devices that can be taken out of service together. */
function devicesOf({ actions }: IncidentDetail): readonly string[] {
  const body = actions.find(({ action }) => action === 'SERVICE')?.body as
    | { devices?: string[] }
    | null
    | undefined
  return body?.devices ?? []
}

function Button({ act, isMain = false }: { readonly act: MenuItem; readonly isMain?: boolean }) {
  const { label, icon: Icon, link, run } = act
  const content = (
    <>
      <Icon size={15} aria-hidden="true" /> {label}
    </>
  )
  if (link !== undefined) {
    return (
      <a class={isMain ? 'button primary' : 'button quiet'} href={link}>
        {content}
      </a>
    )
  }
  return (
    <button type="button" class={isMain ? '' : 'quiet'} onClick={() => void run?.()}>
      {content}
    </button>
  )
}

function Gone() {
  const t = useTexts('incidents')
  return (
    <Empty icon={SearchX} title={t.gone}>
      <p>{t.goneHint}</p>
      <a class="button quiet" href={links.incidents()}>
        {t.toIncidents}
      </a>
    </Empty>
  )
}
