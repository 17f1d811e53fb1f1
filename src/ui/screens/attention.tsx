/**
 * Lists what needs a person, most urgent first: the first open incidents, then the alerts that belong to no incident yet,
 * so that one cause is shown once. The rows are frozen under the pointer and with the focus.
 */
import { ChevronRight, CircleCheck } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import type { LiveEvent } from '../../client/index.ts'
import { Loaded } from '../parts/loaded.tsx'
import { useHold, useLiveRows } from '../parts/table/use-live-rows.ts'
import { type Alert, type Alerts, concernsAlerts, loadAlerts } from '../state/alerts.ts'
import { useEachTick } from '../state/clock.ts'
import {
  concernsIncidents,
  type FirstIncident,
  type FirstIncidents,
  loadFirstIncidents,
} from '../state/incidents.ts'
import { links } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { useAttentionKeys } from './attention-keys.ts'
import { AttentionRow } from './attention-row.tsx'
import { IncidentRow } from './incident-row.tsx'

/** Number of rows shown initially. */
const FEW = 6
/** Maximum incidents in the list. The screen of incidents has all. */
const INCIDENTS = 5

export function NeedsAttention() {
  const alerts = useResource('alerts', loadAlerts, concernsCauses)
  const incidents = useResource('first-incidents', () => loadFirstIncidents(INCIDENTS), concernsCauses)
  useEachTick(() => {
    alerts.reload()
    incidents.reload()
  })
  return (
    <Loaded from={alerts} height="8rem">
      {(value) => (
        <Loaded from={incidents} height="8rem">
          {(first) => (
            <CauseList
              alerts={value}
              incidents={first}
              onChange={() => {
                alerts.reload()
                incidents.reload()
              }}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

/** An alert leaves the list when it belongs to an incident, so a change of either concerns both. */
function concernsCauses(event: LiveEvent): boolean {
  return concernsAlerts(event) || concernsIncidents(event)
}

/** Row of the list: an incident, or an alert that belongs to none. */
type Cause =
  | { readonly key: string; readonly incident: FirstIncident }
  | { readonly key: string; readonly alert: Alert }

interface CauseListProps {
  readonly alerts: Alerts
  readonly incidents: FirstIncidents
  readonly onChange: () => void
}

function CauseList({ alerts: { items }, incidents, onChange }: CauseListProps) {
  const t = useTexts('alerts')
  const list = useRef<HTMLDivElement>(null)
  const [isWhole, setWhole] = useState(false)
  const [withAcknowledged, setWithAcknowledged] = useState(false)
  const isHeld = useHold(list, false)
  const { counts } = incidents
  const own = items.filter(({ incidentId = null }) => incidentId === null)
  const acknowledged = own.filter((alert) => alert.acknowledged !== null).length
  const open = counts.open + own.length - acknowledged
  const listed = own.filter((alert) => withAcknowledged || alert.acknowledged === null)
  const live = useLiveRows<Cause>({
    listKey: String(withAcknowledged),
    rows: [
      ...incidents.items.map((incident) => ({ key: `incident/${incident.id}`, incident })),
      ...listed.map((alert) => ({ key: alert.key, alert })),
    ],
    keyOf: ({ key }) => key,
    isHeld,
  })
  useAttentionKeys(list)
  const presentIncidents = new Map(incidents.items.map((incident) => [incident.id, incident]))
  const present = new Map(items.map((alert) => [alert.key, alert]))
  const shown = isWhole ? live.shown : live.shown.slice(0, FEW)
  const all = counts.open + counts.acknowledged + counts.muted
  return (
    <section aria-labelledby="attention">
      <div class="attention-head">
        <h2 id="attention" tabIndex={-1}>
          {t.title} {open > 0 && <b class="count">{open}</b>}
        </h2>
        {acknowledged > 0 && (
          <button
            type="button"
            class="small quiet"
            aria-pressed={withAcknowledged}
            onClick={() => setWithAcknowledged(!withAcknowledged)}
          >
            {withAcknowledged ? t.hideAcknowledged : t.showAcknowledged(acknowledged)}
          </button>
        )}
      </div>
      <div ref={list} class="attention-list">
        {live.held > 0 && (
          <button type="button" class="small pill held" onClick={live.apply}>
            {t.newOnes(live.held)}
          </button>
        )}
        {shown.length === 0 ? (
          <AllWell />
        ) : (
          <ul class="card attention" data-live-rows>
            {shown.map(({ key, row }) =>
              'incident' in row ? (
                <IncidentRow
                  key={key}
                  incident={presentIncidents.get(row.incident.id) ?? row.incident}
                  isOver={!presentIncidents.has(row.incident.id)}
                  onChange={onChange}
                />
              ) : (
                <AttentionRow
                  key={key}
                  alert={present.get(key) ?? row.alert}
                  isOver={!present.has(key)}
                  onChange={onChange}
                />
              ),
            )}
          </ul>
        )}
      </div>
      <div class="attention-foot">
        {live.shown.length > FEW && (
          <button type="button" class="small quiet" onClick={() => setWhole(!isWhole)}>
            {isWhole ? t.showFewer : t.showAll(live.shown.length)}
          </button>
        )}
        {all > 0 && <ToIncidents count={all} />}
      </div>
    </section>
  )
}

function ToIncidents({ count }: { readonly count: number }) {
  const t = useTexts('incident')
  return (
    <a href={links.incidents()}>
      {t.all(count)} <ChevronRight size={14} aria-hidden="true" />
    </a>
  )
}

function AllWell() {
  const t = useTexts('alerts')
  return (
    <div class="card all-well">
      <CircleCheck size={22} aria-hidden="true" />
      <p>
        <strong>{t.allWell}</strong>
        <br />
        <small class="muted">{t.allWellHint}</small>
      </p>
    </div>
  )
}
