/** Opens what the endpoints of this directory share. They find it in `this.services`. */

export interface Services {
  /** Notes by id. A real service opens a database here, and closes it in an export `close`. */
  readonly notes: Map<number, string>
}

export function open(): Services {
  return { notes: new Map() }
}
