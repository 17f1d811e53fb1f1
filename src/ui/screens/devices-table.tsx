/** Shows devices as a table. A row opens its device. */

import { PresenceBadge } from '../parts/presence-badge.tsx'
import { rowLink } from '../parts/row-link.ts'
import { StatusBadge } from '../parts/status-badge.tsx'
import { Ago } from '../parts/time.tsx'
import type { Device } from '../state/devices.ts'
import { links } from '../state/location.ts'
import { useTexts } from '../texts/texts.ts'

export function DevicesTable({ devices }: { devices: readonly Device[] }) {
  const t = useTexts('devices')
  const common = useTexts('common')
  return (
    <div class="card table">
      <table>
        <thead>
          <tr>
            <th scope="col">{common.device}</th>
            <th scope="col">{t.state}</th>
            <th scope="col">{t.lastSeen}</th>
            <th scope="col">{t.waiting}</th>
            <th scope="col">{t.lastCommand}</th>
            <th scope="col">{t.result}</th>
          </tr>
        </thead>
        <tbody>
          {devices.map((device) => (
            <Row key={device.deviseId} device={device} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ device }: { device: Device }) {
  const t = useTexts('devices')
  const common = useTexts('common')
  const { deviseId, waiting, lastMessage } = device
  return (
    <tr {...rowLink(links.device(deviseId))}>
      <th scope="row" data-label={common.device} class="id">
        <a href={links.device(deviseId)}>{deviseId}</a>
      </th>
      <td data-label={t.state}>
        <PresenceBadge device={device} />
      </td>
      <td data-label={t.lastSeen}>
        <Ago at={device.transport === null ? device.lastSeenDate : Date.now()} />
      </td>
      <td data-label={t.waiting}>
        {waiting === 0 ? (
          <span class="muted">0</span>
        ) : (
          <span>
            <strong>{waiting}</strong>{' '}
            <small class="muted">
              {t.oldest} <Ago at={device.oldestWaitingDate} />
            </small>
          </span>
        )}
      </td>
      <td data-label={t.lastCommand} class="clip id">
        {lastMessage ? <a href={links.message(lastMessage.id)}>{lastMessage.command}</a> : common.none}
      </td>
      <td data-label={t.result}>
        {lastMessage ? (
          <StatusBadge status={lastMessage.deliveryStatus} />
        ) : (
          <span class="muted">{common.none}</span>
        )}
      </td>
    </tr>
  )
}
