/** Shows messages as a table. A row opens its message. */
import type { ComponentChildren } from 'preact'
import { links } from '../state/location.ts'
import type { Message } from '../state/messages.ts'
import { useTexts } from '../texts/texts.ts'
import { rowLink } from './row-link.ts'
import { StatusBadge } from './status-badge.tsx'
import { Time } from './time.tsx'

interface MessagesTableProps {
  readonly messages: readonly Message[]
  /** Shows the column of the device. */
  readonly withDevice?: boolean
  /** Returns the content of the last cell of a message. */
  readonly action?: (message: Message) => ComponentChildren
}

export function MessagesTable({ messages, withDevice = false, action }: MessagesTableProps) {
  const t = useTexts('common')
  const list = useTexts('messages')
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
            <th scope="col">{list.guarantee}</th>
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
            <tr key={message.id} {...rowLink(links.message(message.id))}>
              <th scope="row" data-label={t.message}>
                <a href={links.message(message.id)}>{message.id}</a>
              </th>
              <td data-label={t.status}>
                <StatusBadge status={message.deliveryStatus} cause={message.cause} />
              </td>
              {withDevice && (
                <td data-label={t.device} class="clip id">
                  <a href={links.device(message.deviseId)}>{message.deviseId}</a>
                </td>
              )}
              <td data-label={t.command} class="clip id">
                {message.command}
              </td>
              <td data-label={list.guarantee} class="muted" title={message.deliveryGuarantee}>
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
