/** Shows over the page since when it receives no changes, and reconnects on demand. */
import { RefreshCw, WifiOff } from 'lucide-preact'
import { retryLive, staleSinceMs } from '../state/live.ts'
import { useTexts } from '../texts/texts.ts'
import { Time } from './time.tsx'

export function StaleBar() {
  const t = useTexts('shell')
  const sinceMs = staleSinceMs.value
  return (
    <div class="stale" role="alert" hidden={sinceMs === null}>
      {sinceMs !== null && (
        <>
          <WifiOff size={16} aria-hidden="true" />
          <span>
            {t.staleSince} <Time at={sinceMs} />. {t.outOfDate}
          </span>
          <button type="button" class="small quiet" onClick={retryLive}>
            <RefreshCw size={14} aria-hidden="true" /> {t.retryNow}
          </button>
        </>
      )}
    </div>
  )
}
