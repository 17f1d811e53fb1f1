/** Suggests values for filters: devices, commands and senders that contain a text. */
import { call } from './session.ts'

export type SuggestionKind = 'DEVICE' | 'COMMAND' | 'SENDER'

/** Returns a function that suggests up to eight values for a text. */
export function suggestions(kind: SuggestionKind): (text: string) => Promise<readonly string[]> {
  return (search) => {
    const query = { kind, ...(search !== '' && { search }) }
    return call((api) => api.GET('/admin/api/suggestions', { params: { query } }))
  }
}
