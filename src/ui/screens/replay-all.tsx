/** Replays all parked messages that the filters of the list show. */
import { RotateCcw } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Confirm } from '../parts/confirm.tsx'
import type { Query } from '../state/location.ts'
import { replayParked } from '../state/message.ts'
import { useTexts } from '../texts/texts.ts'

export function ReplayAll({ filters, onDone }: { filters: Query; onDone: () => void }) {
  const t = useTexts('messages')
  const [isAsking, setAsking] = useState(false)
  const [skipped, setSkipped] = useState(0)
  const close = (): void => {
    setAsking(false)
    onDone()
  }
  return (
    <>
      {skipped > 0 && <span role="status">{t.replaySkipped(skipped)}</span>}
      <button type="button" class="small" onClick={() => setAsking(true)}>
        <RotateCcw size={14} aria-hidden="true" /> {t.replayAll}
      </button>
      {isAsking && (
        <Confirm
          title={t.replayAll}
          action={t.replayAll}
          run={async () => setSkipped((await replayParked(filters)).skipped)}
          onDone={close}
          onClose={close}
        >
          <p>{t.replayAllAsk}</p>
        </Confirm>
      )}
    </>
  )
}
