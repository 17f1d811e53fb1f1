/** Columns of the open connections. */
import type { Column } from '../parts/table/columns.ts'
import { Ago, Time } from '../parts/time.tsx'
import type { Connection } from '../state/connections.ts'
import { links } from '../state/location.ts'
import { useTexts } from '../texts/texts.ts'

export function useConnectionColumns(): readonly Column<Connection>[] {
  const t = useTexts('connections')
  return [
    { key: 'id', title: t.who, id: ({ deviseId }) => deviseId, share: 3 },
    {
      key: 'devices',
      title: t.takes,
      render: (connection) => <Devices connection={connection} />,
      share: 2,
      narrow: 'badge',
    },
    {
      key: 'protocol',
      title: t.over,
      render: ({ transport, protocol, version }) => `${transport} ${protocol} ${version}`,
    },
    {
      key: 'address',
      title: t.address,
      render: ({ address }) => <span class="id">{address}</span>,
      narrow: 'detail',
    },
    {
      key: 'last',
      title: t.last,
      render: ({ lastPacketDate }) => <Ago at={lastPacketDate} />,
      narrow: 'detail',
    },
    { key: 'since', title: t.since, render: ({ since }) => <Time at={since} /> },
    { key: 'session', title: t.clientId, id: ({ clientId }) => clientId, share: 2 },
    {
      key: 'subscriptions',
      title: t.subscriptions,
      render: ({ subscriptions }) => subscriptions,
      align: 'end',
      isOptional: true,
    },
  ]
}

/** Shows the device whose commands a connection receives, or the number of such devices. */
function Devices({
  connection: { deviseId, devices, deviceCount = devices.length },
}: {
  connection: Connection
}) {
  const t = useTexts('connections')
  const [first] = devices
  if (first === undefined) return <span class="muted">{t.takesNone}</span>
  if (deviceCount > 1) return <span title={devices.join(', ')}>{t.devices(deviceCount)}</span>
  return (
    <a href={links.device(first)} class="id" title={first}>
      {first === deviseId ? t.devices(1) : first}
    </a>
  )
}
