/** Shows messages as a table. A row opens its message. */
import { links } from '../state/location.ts'
import { rememberList } from '../state/message-order.ts'
import type { Message } from '../state/messages.ts'
import { useTexts } from '../texts/texts.ts'
import type { MenuItem } from './menu.tsx'
import { StatusBadge } from './status-badge.tsx'
import type { Column } from './table/columns.ts'
import { Table } from './table/table.tsx'
import { Time } from './time.tsx'

interface MessagesTableProps {
  /** Names the list: the screen, and the filters in force. */
  readonly listKey: string
  readonly label: string
  readonly messages: readonly Message[]
  /** Shows the column of the device. */
  readonly withDevice?: boolean
  /** Returns the actions on a message. */
  readonly menuOf?: ((message: Message) => readonly MenuItem[]) | undefined
}

export function MessagesTable({ listKey, label, messages, withDevice = false, menuOf }: MessagesTableProps) {
  const columns = useColumns(withDevice)
  const remember = (): void => rememberList(messages.map(({ id }) => id))
  return (
    <div onClickCapture={remember} onFocusCapture={remember}>
      <Table
        name={withDevice ? 'messages' : 'device-messages'}
        label={label}
        columns={columns}
        rows={messages}
        keyOf={({ id }) => String(id)}
        listKey={listKey}
        linkOf={({ id }) => links.message(id)}
        menuOf={menuOf}
      />
    </div>
  )
}

function useColumns(withDevice: boolean): readonly Column<Message>[] {
  const t = useTexts('common')
  const list = useTexts('messages')
  const guarantees = useTexts('guarantees')
  const device: Column<Message> = {
    key: 'device',
    title: t.device,
    id: ({ deviseId }) => deviseId,
    linkOf: ({ deviseId }) => links.device(deviseId),
    share: 3,
    narrow: 'detail',
  }
  return [
    { key: 'id', title: '№', render: ({ id }) => id, narrow: 'title' },
    {
      key: 'status',
      title: t.status,
      render: ({ deliveryStatus, cause }) => <StatusBadge status={deliveryStatus} cause={cause} />,
      narrow: 'badge',
    },
    ...(withDevice ? [device] : []),
    {
      key: 'command',
      title: t.command,
      render: ({ command }) => (
        <span class="id" title={command}>
          {command}
        </span>
      ),
      share: 3,
      narrow: 'title',
    },
    { key: 'sent', title: t.sent, render: ({ createdDate }) => <Time at={createdDate} />, narrow: 'detail' },
    {
      key: 'guarantee',
      title: list.guarantee,
      render: ({ deliveryGuarantee }) => (
        <span class="muted" title={deliveryGuarantee}>
          {guarantees[deliveryGuarantee]}
        </span>
      ),
      share: 2,
    },
  ]
}
