/** Shows devices as a table. A row opens its device. */
import { Ban, Download, Send } from 'lucide-preact'
import type { MenuItem } from '../parts/menu.tsx'
import { useNumberText } from '../parts/numbers.ts'
import { PresenceBadge } from '../parts/presence-badge.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import type { Column, Sort } from '../parts/table/columns.ts'
import { Table } from '../parts/table/table.tsx'
import { Ago, durationText } from '../parts/time.tsx'
import { nowMs } from '../state/clock.ts'
import { type Device, downloadDevices } from '../state/devices.ts'
import { links } from '../state/location.ts'
import type { Selection } from '../state/selection.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

interface DevicesTableProps {
  readonly listKey: string
  readonly devices: readonly Device[]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  /** Absent for a user without permission. */
  readonly selection?: Selection | undefined
  readonly onCancel: (devices: readonly Device[]) => void
}

export function DevicesTable({ devices, selection, onCancel, ...props }: DevicesTableProps) {
  const t = useTexts('devices')
  const device = useTexts('device')
  const menuOf = (each: Device): readonly MenuItem[] => [
    { label: device.send, icon: Send, link: links.send({ deviseId: each.deviseId }) },
    ...(each.waiting > 0
      ? [{ label: t.cancelPending(each.waiting), icon: Ban, isDanger: true, run: () => onCancel([each]) }]
      : []),
    { label: t.exportSelected, icon: Download, run: () => downloadDevices([each]) },
  ]
  return (
    <Table
      {...props}
      name="devices"
      label={t.table}
      columns={useColumns()}
      rows={devices}
      keyOf={({ deviseId }) => deviseId}
      linkOf={({ deviseId }) => links.device(deviseId)}
      selection={selection}
      menuOf={selection && menuOf}
    />
  )
}

function useColumns(): readonly Column<Device>[] {
  const t = useTexts('devices')
  const common = useTexts('common')
  const locale = useLocale()
  return [
    { key: 'id', title: common.device, id: ({ deviseId }) => deviseId, sort: 'ascending', share: 5 },
    {
      key: 'state',
      title: t.state,
      render: (device) => <PresenceBadge device={device} />,
      sort: 'ascending',
      narrow: 'badge',
    },
    {
      key: 'waiting',
      title: t.waiting,
      render: (device) => device.waiting > 0 && <Pending device={device} />,
      sort: 'descending',
      narrow: 'detail',
    },
    {
      key: 'problem',
      title: t.problem,
      render: (device) => problemOf(device) && <Problem device={device} />,
      sort: 'ascending',
      narrow: 'detail',
    },
    {
      key: 'lastMessage',
      title: t.lastCommand,
      render: ({ lastMessage }) =>
        lastMessage && (
          <a href={links.message(lastMessage.id)} class="id one-line" title={lastMessage.command}>
            {lastMessage.command}
          </a>
        ),
      sort: 'descending',
      share: 3,
    },
    {
      key: 'lastSeen',
      title: t.lastSeen,
      render: ({ transport, lastSeenDate }) => <Ago at={transport === null ? lastSeenDate : nowMs.value} />,
      sort: 'descending',
    },
    {
      key: 'description',
      title: t.description,
      render: ({ description }) => description && <span title={description}>{description}</span>,
      sort: 'ascending',
      share: 3,
    },
    {
      key: 'result',
      title: t.result,
      render: ({ lastMessage }) => lastMessage && <StatusBadge status={lastMessage.deliveryStatus} />,
    },
    {
      key: 'delivery',
      title: t.delivery,
      render: ({ lastDeliveryMs }) => (lastDeliveryMs == null ? null : durationText(lastDeliveryMs, locale)),
      sort: 'descending',
      align: 'end',
    },
  ]
}

function Pending({ device: { waiting, oldestWaitingDate } }: { device: Device }) {
  const number = useNumberText()
  const locale = useLocale()
  return (
    <span>
      <strong>{number(waiting)}</strong>
      {oldestWaitingDate !== null && (
        <small class="muted">, {durationText(nowMs.value - oldestWaitingDate, locale)}</small>
      )}
    </span>
  )
}

function problemOf({ blockedSinceDate, parked, failed, busyUntilDate, service }: Device): boolean {
  if (service != null) return true
  return blockedSinceDate != null || (parked ?? 0) > 0 || (failed ?? 0) > 0 || busyUntilDate != null
}

function Problem({ device: { blockedSinceDate, parked = 0, failed = 0, service } }: { device: Device }) {
  const t = useTexts('devices')
  const locale = useLocale()
  if (service != null) return <span class="badge calm">{t.outOfService}</span>
  if (blockedSinceDate != null) {
    const time = durationText(nowMs.value - blockedSinceDate, locale)
    return <span class="badge bad">{t.blockedFor({ time })}</span>
  }
  if (parked > 0) return <span class="badge wait">{t.parkedCount(parked)}</span>
  if (failed > 0) return <span class="badge bad">{t.failedCount(failed)}</span>
  return <span class="badge calm">{t.busy}</span>
}
