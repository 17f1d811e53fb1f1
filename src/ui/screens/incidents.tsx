/** Shows the incidents in tabs, or one incident. Loads when it is opened. */
import '../style/incidents.css'
import { useState } from 'preact/hooks'
import { Heading } from '../parts/heading.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useEachTick } from '../state/clock.ts'
import { concernsIncidents, type IncidentTab, loadIncidents } from '../state/incidents.ts'
import { links } from '../state/location.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'
import { IncidentScreen } from './incident.tsx'
import { IncidentList } from './incident-list.tsx'

/** Number of ended incidents that the page shows at first, and adds each time. */
const ROWS = 50

/** @param place what follows in the address: a tab, or the number of an incident */
export function Incidents({ place }: { readonly place: string }) {
  const id = Number(place)
  if (place !== '' && Number.isInteger(id)) return <IncidentScreen key={id} id={id} />
  return <List tab={place === 'muted' || place === 'history' ? place : 'open'} />
}

function List({ tab }: { readonly tab: IncidentTab }) {
  const frame = useTexts('shell')
  const common = useTexts('common')
  const t = useTexts('incidents')
  const [rows, setRows] = useState(ROWS)
  const key = `incidents/${tab}/${tab === 'history' ? rows : ''}`
  const incidents = useResource(key, () => loadIncidents(tab, rows), concernsIncidents)
  useEachTick(incidents.reload)
  const { value } = incidents
  const count = { open: value && value.open + value.acknowledged, muted: value?.muted, history: undefined }
  return (
    <>
      <Heading title={frame.incidents} />
      <Tabs
        label={frame.incidents}
        tabs={(['open', 'muted', 'history'] as const).map((each) => ({
          link: links.incidents(each === 'open' ? '' : each),
          text: t[each],
          count: count[each],
          isCurrent: each === tab,
        }))}
      />
      <Loaded from={incidents}>
        {({ items }) => (
          <>
            <IncidentList key={tab} tab={tab} incidents={items} onChange={incidents.reload} />
            {tab === 'history' && items.length === rows && (
              <div class="pager">
                <button type="button" class="quiet" onClick={() => setRows(rows + ROWS)}>
                  {common.more}
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}
