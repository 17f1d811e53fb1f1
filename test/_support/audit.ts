/** Reads the audit trail of a running broker. */
import { expect } from 'vitest'
import type { BrokerUnderTest } from './broker.ts'
import type { Server } from './server.ts'

export interface AuditAnswer {
  readonly id: number
  readonly date: number
  readonly deviseId: string | null
  readonly keyId: number | null
  readonly address: string | null
  readonly action: string
  readonly object: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** Returns the newest lines, newest first. @param query such as `?action=client.create` */
export async function auditLines({ rest }: BrokerUnderTest<Server>, query = ''): Promise<AuditAnswer[]> {
  const { status, body } = await rest.get(`/admin/api/audit${query}`)
  expect(status).toBe(200)
  return body as AuditAnswer[]
}

/** Runs a step. Returns the lines that it added, oldest first. */
export async function addedLines(
  broker: BrokerUnderTest<Server>,
  step: () => Promise<unknown>,
): Promise<AuditAnswer[]> {
  const last = (await auditLines(broker, '?limit=1'))[0]?.id ?? 0
  await step()
  const lines = await auditLines(broker)
  return lines.filter(({ id }) => id > last).reverse()
}
