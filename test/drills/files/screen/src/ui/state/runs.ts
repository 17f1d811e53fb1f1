/** Reads the runs of the servers. */
import type { components } from '../../client/index.ts'
import { call } from './session.ts'

export type Run = components['schemas']['Run']

/** Returns the runs of the last days, newest first. */
export function loadRuns(): Promise<Run[]> {
  return call((api) => api.GET('/admin/api/runs'))
}
