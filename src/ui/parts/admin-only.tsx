/** Hides what a client with role READER may not do. The server checks each request by itself. */
import type { ComponentChildren } from 'preact'
import { mayChange } from '../state/session.ts'

export function AdminOnly({ children }: { children: ComponentChildren }) {
  return mayChange.value ? children : null
}
