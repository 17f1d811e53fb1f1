/** Converts error responses to problem details (RFC 9457), for callers that accept them. Knows no server. */
import { STATUS_CODES } from 'node:http'
import type { HttpResponse, RequestHead } from './types.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/**
 * Returns whether the caller asked for problem details. A wildcard does not count, so that the bodies of other callers
 * do not change.
 */
export function acceptsProblems(head: Pick<RequestHead, 'header'>): boolean {
  const accept = head.header('accept')
  return accept !== undefined && /\bapplication\/problem\+json\b/i.test(accept)
}

/**
 * Converts an error response to problem details: `title`, `status`, `detail`, `code`, `params` and the fields of the
 * error. `type` is omitted, which means `about:blank`; the code names the kind of problem. Returns any other response
 * unchanged.
 */
export function asProblem(response: HttpResponse): HttpResponse {
  const { status, headers, problem } = response
  if (!problem) return response
  const { message, code, params, fields } = problem
  const members = { title: STATUS_CODES[status] ?? 'Error', status, detail: message, code, params }
  const type = ['content-type', PROBLEM_TYPE] as const
  return {
    ...response,
    headers: headers.map((header) => (header[0] === type[0] ? type : header)),
    body: JSON.stringify({ ...members, ...fields, ...members }),
  }
}
