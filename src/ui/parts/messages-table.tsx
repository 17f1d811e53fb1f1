/** Messages as a table; a row opens the message. */
import type { ComponentChildren } from 'preact'
import { links } from '../state/location.ts'
import type { Message } from '../state/messages.ts'
import { useTexts } from '../texts/texts.ts'
import { StatusBadge } from './badge.tsx'
import { opens } from './row.ts'
import { Time } from './time.tsx'

interface MessagesTableProps {
  readonly messages: readonly Message[]
  /** Left out where all are of one device. */
  readonly withDevice?: boolean
  /** A last cell for each. */
  readonly action?: (message: Message) => ComponentChildren
}

export function MessagesTable({ messages, withDevice = false, action }: MessagesTableProps) {
  const t = useTexts('words')
  const own = useTexts('messages')
  const guarantees = useTexts('guarantees')
  return (
    <div class="card table">
      <table>
        <thead>
          <tr>
            <th scope="col">№</th>
            <th scope="col">{t.status}</th>
            {withDevice && <th scope="col">{t.device}</th>}
            <th scope="col">{t.command}</th>
            <th scope="col">{own.guarantee}</th>
            <th scope="col">{t.sent}</th>
            {action && (
              <th scope="col">
                <span class="visually-hidden">{t.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {messages.map((message) => (
            <tr key={message.id} {...opens(links.message(message.id))}>
              <th scope="row" data-label={t.message}>
                <a href={links.message(message.id)}>{message.id}</a>
              </th>
              <td data-label={t.status}>
                <StatusBadge status={message.deliveryStatus} />
              </td>
              {withDevice && (
                <td data-label={t.device} class="clip id">
                  <a href={links.device(message.deviseId)}>{message.deviseId}</a>
                </td>
              )}
              <td data-label={t.command} class="clip id">
                {message.command}
              </td>
              <td data-label={own.guarantee} class="muted" title={message.deliveryGuarantee}>
                {guarantees[message.deliveryGuarantee]}
              </td>
              <td data-label={t.sent}>
                <Time at={message.createdDate} />
              </td>
              {action && <td class="number">{action(message)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
