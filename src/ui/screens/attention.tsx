/**
 * Lists the alerts: conditions that need a person, most urgent first. The rows are frozen under the pointer and with
 * the focus.
 */
import { CircleCheck } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { Loaded } from '../parts/loaded.tsx'
import { useHold, useLiveRows } from '../parts/table/use-live-rows.ts'
import { type Alert, type Alerts, concernsAlerts, loadAlerts } from '../state/alerts.ts'
import { useEachTick } from '../state/clock.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { useAttentionKeys } from './attention-keys.ts'
import { AttentionRow } from './attention-row.tsx'

/** Number of alerts shown initially. */
const FEW = 6

export function NeedsAttention() {
  const alerts = useResource('alerts', loadAlerts, concernsAlerts)
  useEachTick(alerts.reload)
  return (
    <Loaded from={alerts} height="8rem">
      {(value) => <AlertList alerts={value} onChange={alerts.reload} />}
    </Loaded>
  )
}

interface AlertListProps {
  readonly alerts: Alerts
  readonly onChange: () => void
}

function AlertList({ alerts: { open, acknowledged, items }, onChange }: AlertListProps) {
  const t = useTexts('alerts')
  const list = useRef<HTMLDivElement>(null)
  const [isWhole, setWhole] = useState(false)
  const [withAcknowledged, setWithAcknowledged] = useState(false)
  const isHeld = useHold(list, false)
  const listed = items.filter((alert) => withAcknowledged || alert.acknowledged === null)
  const live = useLiveRows<Alert>({
    listKey: String(withAcknowledged),
    rows: listed,
    keyOf: ({ key }) => key,
    isHeld,
  })
  useAttentionKeys(list)
  const present = new Map(items.map((alert) => [alert.key, alert]))
  const shown = isWhole ? live.shown : live.shown.slice(0, FEW)
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
            {shown.map(({ key, row }) => (
              <AttentionRow
                key={key}
                alert={present.get(key) ?? row}
                isOver={!present.has(key)}
                onChange={onChange}
              />
            ))}
          </ul>
        )}
      </div>
      {live.shown.length > FEW && (
        <button type="button" class="small quiet" onClick={() => setWhole(!isWhole)}>
          {isWhole ? t.showFewer : t.showAll(live.shown.length)}
        </button>
      )}
    </section>
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
