/** Lists the latest messages of a device. */
import { Loaded } from '../parts/loaded.tsx'
import { DeviceMessagesTable } from '../parts/messages-table.tsx'
import { concernsDevice } from '../state/live.ts'
import { links } from '../state/location.ts'
import { loadMessages } from '../state/messages.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'

const HISTORY_ROWS = 10

export function DeviceHistory({ id }: { id: string }) {
  const t = useTexts('device')
  const history = useResource(
    `history/${id}`,
    () => loadMessages({ deviseId: id }, HISTORY_ROWS),
    (event) => concernsDevice(event, id),
  )
  return (
    <section aria-labelledby="history">
      <div class="section-heading">
        <h2 id="history">{t.history}</h2>
        <a href={links.messages({ deviseId: id })}>{t.all}</a>
      </div>
      <Loaded from={history}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="muted">{t.historyEmpty}</p>
          ) : (
            <DeviceMessagesTable listKey={`history/${id}`} label={t.history} messages={items} />
          )
        }
      </Loaded>
    </section>
  )
}
