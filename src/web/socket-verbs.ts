/** Checks the methods of a class that accepts WebSockets: CONNECT, MESSAGE and DISCONNECT. Runs at load. */
import type { Verb } from './verb.ts'

/** Methods for an open WebSocket. Each is null if the class lacks it. */
export interface SocketVerbs {
  readonly message: Verb | null
  readonly disconnect: Verb | null
}

const NO_PARAMETERS = { positionals: [], rest: null, keywords: null }

/**
 * Removes MESSAGE and DISCONNECT from the verbs of a class, because no request calls them, and adds an empty CONNECT if
 * the class has none. Returns null for a class without any of the three.
 */
export function takeSocketVerbs(
  verbs: Map<string, Verb>,
  addProblem: (verb: string, problem: string) => void,
): SocketVerbs | null {
  const [connect, message, disconnect] = ['CONNECT', 'MESSAGE', 'DISCONNECT'].map(
    (name) => verbs.get(name) ?? null,
  ) as [Verb | null, Verb | null, Verb | null]
  const any = connect ?? message ?? disconnect
  if (any === null) return null
  verbs.delete('MESSAGE')
  verbs.delete('DISCONNECT')
  if (message && (parametersOf(message) > 1 || message.positionals)) {
    const cure = 'an object pattern for the members of a JSON text, or a name for the text or the bytes'
    addProblem('MESSAGE', `it takes one parameter: ${cure}. static keywords may check an object pattern`)
  }
  if (disconnect && (parametersOf(disconnect) > 1 || disconnect.signature.keywords || disconnect.positionals))
    addProblem('DISCONNECT', 'it takes one parameter, the close code, or none')
  if (connect === null) {
    verbs.set('CONNECT', {
      ...any,
      method: () => {},
      signature: NO_PARAMETERS,
      required: 0,
      keywords: null,
      positionals: null,
    })
  }
  return { message, disconnect }
}

/** Returns the number of parameters. A rest parameter counts as several. */
function parametersOf({ signature: { positionals, rest, keywords } }: Verb): number {
  return positionals.length + (rest === null ? 0 : 2) + (keywords === null ? 0 : 1)
}
