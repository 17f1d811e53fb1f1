/** Shows the beginning of a device's queue, and cancels one command or all. */
import { Ban } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { AdminOnly } from '../parts/admin-only.tsx'
import { Loaded } from '../parts/loaded.tsx'
import type { MenuItem } from '../parts/menu.tsx'
import { useNumberText } from '../parts/numbers.ts'
import { StatusBadge } from '../parts/status-badge.tsx'
import type { Column } from '../parts/table/columns.ts'
import { Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { useEachTick } from '../state/clock.ts'
import { type Device, loadQueue, type Queue } from '../state/devices.ts'
import { concernsDevice } from '../state/live.ts'
import { links } from '../state/location.ts'
import { cancelMessage } from '../state/message.ts'
import { useResource } from '../state/resource.ts'
import { mayChange } from '../state/session.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'
import { CancelQueue } from './cancel-queue.tsx'

type Message = Queue['items'][number]

const ROWS = 20
const MAX_ROWS = 500

type Flight = NonNullable<Device['inFlight']>

interface DeviceQueueProps {
  readonly id: string
  readonly flight: Flight | null
  readonly onChange: () => void
}

export function DeviceQueue({ id, flight, onChange }: DeviceQueueProps) {
  const t = useTexts('device')
  const number = useNumberText()
  const [limit, setLimit] = useState(ROWS)
  const queue = useResource(
    `queue/${id}/${limit}`,
    () => loadQueue(id, limit),
    (event) => concernsDevice(event, id),
  )
  // No live event reports the start of an attempt.
  useEachTick(() => {
    if ((queue.value?.total ?? 0) > 0) queue.reload()
  })
  const changed = (): void => {
    queue.reload()
    onChange()
  }
  const columns = useColumns(flight)
  const menuOf = useMenu(changed)
  const total = queue.value?.total ?? 0
  return (
    <section aria-labelledby="queue">
      <div class="section-heading">
        <h2 id="queue">
          {t.queue} {total > 0 && <small class="total">{number(total)}</small>}
        </h2>
        {queue.value && total > 0 && (
          <AdminOnly>
            <CancelQueue id={id} queue={queue.value} hasFlight={flight !== null} onDone={changed} />
          </AdminOnly>
        )}
      </div>
      <Loaded from={queue}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="muted">{t.queueEmpty}</p>
          ) : (
            <>
              <Table
                name="queue"
                label={t.queue}
                columns={columns}
                rows={items}
                keyOf={(message) => String(message.id)}
                listKey={`queue/${id}`}
                linkOf={(message) => links.message(message.id)}
                menuOf={mayChange.value ? menuOf : undefined}
              />
              {total > items.length && (
                <p>
                  {t.shownOf({ shown: number(items.length), count: number(total) })}{' '}
                  {limit === ROWS && total <= MAX_ROWS ? (
                    <button type="button" class="small quiet" onClick={() => setLimit(MAX_ROWS)}>
                      {t.showAll}
                    </button>
                  ) : (
                    <a href={links.messages({ deviseId: id, status: 'NOT_DELIVERED' })}>{t.showAll}</a>
                  )}
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function useColumns(flight: Flight | null): readonly Column<Message>[] {
  const t = useTexts('device')
  const common = useTexts('common')
  return [
    { key: 'id', title: '№', render: ({ id }) => id, narrow: 'title' },
    {
      key: 'command',
      title: common.command,
      render: ({ command }) => (
        <span class="id" title={command}>
          {command}
        </span>
      ),
      share: 1,
      narrow: 'title',
    },
    {
      key: 'status',
      title: common.status,
      render: ({ id, deliveryStatus, attempts = 0 }) => {
        if (flight?.id === id) {
          return <span class="badge wait">{t.flightBadge({ number: flight.attempt })}</span>
        }
        return attempts > 0 ? (
          <span class="badge wait">{t.attempt({ number: attempts })}</span>
        ) : (
          <StatusBadge status={deliveryStatus} />
        )
      },
      narrow: 'badge',
    },
    { key: 'sent', title: t.sent, render: ({ createdDate }) => <Time at={createdDate} />, narrow: 'detail' },
  ]
}

/** Returns the actions on a pending message. A dispatched message is cancelled by force, after a warning. */
function useMenu(onChange: () => void): (message: Message) => readonly MenuItem[] {
  const t = useTexts('device')
  const own = useTexts('message')
  return ({ id, command, attempts = 0 }) => {
    const isDispatched = attempts > 0
    return [
      {
        label: isDispatched ? t.cancelAnyway : t.cancel,
        icon: Ban,
        isDanger: true,
        ask: {
          text: (
            <>
              № {id} <strong class="id">{command}</strong>.{' '}
              {isDispatched ? own.cancelInFlightAsk : own.cancelAsk}
            </>
          ),
          dismiss: own.keep,
        },
        run: async () => {
          await cancelMessage(id, isDispatched).finally(onChange)
          showToast({
            text: own.cancelled({ id }),
            link: { href: links.message(id), label: t.openMessage },
          })
        },
        textFor: (error) => (error instanceof RequestError && error.status === 409 ? own.tooLate : undefined),
      },
    ]
  }
}
