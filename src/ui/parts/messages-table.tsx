/** Shows messages as a table. A row opens its message. */
import type { ComponentChildren } from 'preact'
import { links } from '../state/location.ts'
import { rememberList } from '../state/message-order.ts'
import type { Message } from '../state/messages.ts'
import type { Selection } from '../state/selection.ts'
import { useTexts } from '../texts/texts.ts'
import type { MenuItem } from './menu.tsx'
import { useMessageColumns } from './message-columns.tsx'
import { Table } from './table/table.tsx'

interface MessagesTableProps {
  /** Names the list: the screen, and the active filters. */
  readonly listKey: string
  readonly messages: readonly Message[]
  readonly most?: number
  readonly selection?: Selection | undefined
  readonly menuOf?: ((message: Message) => readonly MenuItem[]) | undefined
  readonly keys?: Readonly<Record<string, (message: Message) => void>>
}

export function MessagesTable({ messages, ...props }: MessagesTableProps) {
  const t = useTexts('shell')
  return (
    <Remembered messages={messages}>
      <Table
        {...props}
        name="messages"
        label={t.messages}
        columns={useMessageColumns()}
        rows={messages}
        keyOf={({ id }) => String(id)}
        linkOf={({ id }) => links.message(id)}
      />
    </Remembered>
  )
}

/** Stores the order of a list that somebody uses, so that the screen of one message knows its neighbours. */
function Remembered({ messages, children }: { messages: readonly Message[]; children: ComponentChildren }) {
  const remember = (): void => rememberList(messages.map(({ id }) => id))
  return (
    <div onClickCapture={remember} onFocusCapture={remember}>
      {children}
    </div>
  )
}

interface DeviceMessagesTableProps extends MessagesTableProps {
  readonly label: string
}

/** Shows the messages of one device, without its id. */
export function DeviceMessagesTable({ messages, ...props }: DeviceMessagesTableProps) {
  return (
    <Remembered messages={messages}>
      <Table
        {...props}
        name="device-messages"
        columns={useMessageColumns().filter(({ key }) =>
          ['id', 'status', 'command', 'sent', 'guarantee'].includes(key),
        )}
        rows={messages}
        keyOf={({ id }) => String(id)}
        linkOf={({ id }) => links.message(id)}
      />
    </Remembered>
  )
}
