/** Performs an action on many messages: counts first, follows the job on every screen, and keeps its report. */
import { signal } from '@preact/signals'
import type { components } from '../../client/index.ts'
import { isStreamStart, onLiveEvent } from './live.ts'
import { randomKey } from './random-key.ts'
import { call } from './session.ts'

export type BulkAction = components['schemas']['BulkAction']
export type BulkPlan = components['schemas']['BulkPlan']
export type BulkReport = components['schemas']['BulkReport']
type BulkBody = components['schemas']['BulkOrder']

/** Messages of an action: given ids, or all messages that a filter selects. */
export type BulkMessages = Pick<BulkBody, 'ids'> | Pick<BulkBody, 'filter'>

export interface BulkRequest {
  readonly action: BulkAction
  readonly messages: BulkMessages
  /** Selects messages on the screen; absent without a selection. */
  readonly onSelect?: (ids: readonly number[]) => void
}

/** Milliseconds until the next read of the report if the server did not answer, or another node did. */
const RETRY_MS = 300
/** Milliseconds between two reads while no event arrives: with several nodes, the stream may come from another node. */
const READ_MS = 2_000
/** Consecutive "unknown job" answers after which the job has ended with its server. */
const MAX_UNKNOWN = 20

/** Request whose question, progress or report is shown; null without an open dialog. */
export const bulkRequest = signal<BulkRequest | null>(null)
/** Report of the last job of this page; null before it starts. */
export const bulkReport = signal<BulkReport | null>(null)

let last: BulkRequest | null = null
let timer: ReturnType<typeof setTimeout> | undefined
let unknown = 0

/** Opens the dialog that counts, asks and reports. If a job of this page is running, shows that job. */
export function askBulk(request: BulkRequest): void {
  if (bulkReport.peek()?.state !== 'RUNNING') {
    bulkReport.value = null
    last = request
  }
  bulkRequest.value = last
}

export function showBulk(): void {
  bulkRequest.value = last
}

export async function planBulk({ action, messages }: BulkRequest, force: boolean): Promise<BulkPlan> {
  return (await post({ action, ...messages, force, dryRun: true })) as BulkPlan
}

/** Starts a job and follows its report to the end. Resolves when the job has started. */
export async function startBulk(
  { action, messages }: BulkRequest,
  { upToId }: BulkPlan,
  force: boolean,
): Promise<void> {
  const bound = 'ids' in messages ? {} : { upToId }
  bulkReport.value = (await post({
    action,
    ...messages,
    ...bound,
    force,
    idempotencyKey: randomKey(),
  })) as BulkReport
  // The events from before this answer have passed.
  void read(bulkReport.value.id)
}

/** Stops the running job. Finished changes stay. */
export async function stopBulk(id: number): Promise<void> {
  await call((api) => api.DELETE('/admin/api/messages/bulk/{id}', { params: { path: { id } } }))
}

function post(body: BulkBody): Promise<BulkPlan | BulkReport> {
  return call((api) => api.POST('/admin/api/messages/bulk', { body }))
}

onLiveEvent((event) => {
  const report = bulkReport.peek()
  if (report?.state !== 'RUNNING') return
  const change = event.data as BulkReport
  const isOfJob = event.event === 'bulk' && change.id === report.id
  if (isOfJob && change.state === 'RUNNING') bulkReport.value = { ...report, ...change }
  else if (isOfJob || isStreamStart(event)) void read(report.id)
})

/**
 * Reads the report until the job has ended. After the end of the session the next start of the stream reads it. A late
 * answer does not replace the report of an ended job.
 */
async function read(id: number): Promise<void> {
  clearTimeout(timer)
  const answer = await call((api) =>
    api.GET('/admin/api/messages/bulk/{id}', { params: { path: { id } } }),
  ).catch(({ status }: { status?: number }) => status)
  const before = bulkReport.peek()
  if (before?.id !== id || before.state !== 'RUNNING' || answer === 401) return
  unknown = answer === 404 ? unknown + 1 : 0
  const isRead = typeof answer === 'object'
  if (isRead) bulkReport.value = answer
  else if (unknown === MAX_UNKNOWN) bulkReport.value = { ...before, state: 'STOPPED' }
  if (bulkReport.peek()?.state !== 'RUNNING') return
  clearTimeout(timer)
  timer = setTimeout(read, isRead ? READ_MS : RETRY_MS, id)
}
