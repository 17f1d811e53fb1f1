/** Lists the pending messages of a device, which can be cancelled, and its latest messages. */

import { Undo2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Loaded, Problem } from '../parts/loaded.tsx'
import { MessagesTable } from '../parts/messages-table.tsx'
import { concernsDevice } from '../state/live.ts'
import { links } from '../state/location.ts'
import { loadMessages } from '../state/messages.ts'
import { useResource } from '../state/resource.ts'
import { call } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'
import { CancelQueue } from './cancel-queue.tsx'

/** Maximum rows of the queue. In a longer queue the newest messages are shown, and not the next to be dispatched. */
const QUEUE_ROWS = 200
const HISTORY_ROWS = 10

export function DeviceQueue({ id }: { id: string }) {
  const t = useTexts('device')
  const pending = { deviseId: id, status: 'NOT_DELIVERED' }
  const queue = useResource(
    `queue/${id}`,
    () => loadMessages(pending, QUEUE_ROWS),
    (event) => concernsDevice(event, id),
  )
  const [problem, setProblem] = useState<unknown>(null)
  const cancel = (messageId: number): void => {
    setProblem(null)
    call((api) => api.POST('/admin/api/messages/{id}/cancel', { params: { path: { id: messageId } } }))
      .catch(setProblem)
      .finally(queue.reload)
  }
  return (
    <section aria-labelledby="queue">
      <h2 id="queue">{t.queue}</h2>
      <AdminOnly>
        <CancelQueue id={id} messages={queue.value?.items ?? []} onDone={queue.reload} />
      </AdminOnly>
      {problem !== null && <Problem error={problem} />}
      <Loaded from={queue}>
        {({ items, next }) =>
          items.length === 0 ? (
            <p class="muted">{t.queueEmpty}</p>
          ) : (
            <>
              <MessagesTable
                messages={items.toReversed()}
                action={(message) => (
                  <AdminOnly>
                    <button type="button" class="small danger" onClick={() => cancel(message.id)}>
                      <Undo2 size={14} aria-hidden="true" /> {t.cancel}
                    </button>
                  </AdminOnly>
                )}
              />
              {next !== null && (
                <p>
                  <a href={links.messages(pending)}>{t.queueMore}</a>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

export function DeviceHistory({ id }: { id: string }) {
  const t = useTexts('device')
  const history = useResource(
    `history/${id}`,
    () => loadMessages({ deviseId: id }, HISTORY_ROWS),
    (event) => concernsDevice(event, id),
  )
  return (
    <section aria-labelledby="history">
      <h2 id="history">{t.history}</h2>
      <Loaded from={history}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="muted">{t.historyEmpty}</p>
          ) : (
            <>
              <MessagesTable messages={items} />
              <p>
                <a href={links.messages({ deviseId: id })}>{t.all}</a>
              </p>
            </>
          )
        }
      </Loaded>
    </section>
  )
}
