/** Lists the pending messages of a device, which can be cancelled, and its latest messages. */

import { Undo2 } from 'lucide-preact'
import { RequestError } from '../../client/index.ts'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Loaded } from '../parts/loaded.tsx'
import type { MenuItem } from '../parts/menu.tsx'
import { MessagesTable } from '../parts/messages-table.tsx'
import { concernsDevice } from '../state/live.ts'
import { links } from '../state/location.ts'
import { cancelMessage } from '../state/message.ts'
import { loadMessages, type Message } from '../state/messages.ts'
import { useResource } from '../state/resource.ts'
import { mayChange } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'
import { CancelQueue } from './cancel-queue.tsx'

/** Maximum rows of the queue. In a longer queue the newest messages are shown, and not the next to be dispatched. */
const QUEUE_ROWS = 200
const HISTORY_ROWS = 10

export function DeviceQueue({ id }: { id: string }) {
  const t = useTexts('device')
  const own = useTexts('message')
  const pending = { deviseId: id, status: 'NOT_DELIVERED' }
  const queue = useResource(
    `queue/${id}`,
    () => loadMessages(pending, QUEUE_ROWS),
    (event) => concernsDevice(event, id),
  )
  const menuOf = (message: Message): readonly MenuItem[] => [
    {
      label: t.cancel,
      icon: Undo2,
      isDanger: true,
      ask: {
        text: (
          <>
            № {message.id} <strong class="id">{message.command}</strong>. {own.cancelAsk}
          </>
        ),
        dismiss: own.keep,
      },
      run: () => cancelMessage(message.id).finally(queue.reload),
      textFor: (error) => (error instanceof RequestError && error.status === 409 ? own.tooLate : undefined),
    },
  ]
  return (
    <section aria-labelledby="queue">
      <h2 id="queue">{t.queue}</h2>
      <AdminOnly>
        <CancelQueue id={id} messages={queue.value?.items ?? []} onDone={queue.reload} />
      </AdminOnly>
      <Loaded from={queue}>
        {({ items, next }) =>
          items.length === 0 ? (
            <p class="muted">{t.queueEmpty}</p>
          ) : (
            <>
              <MessagesTable
                listKey={`queue/${id}`}
                label={t.queue}
                messages={items.toReversed()}
                menuOf={mayChange.value ? menuOf : undefined}
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
              <MessagesTable listKey={`history/${id}`} label={t.history} messages={items} />
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
