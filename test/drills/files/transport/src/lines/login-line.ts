/** Reads the first line of a device: `{"id": "pump-1", "password": "secret"}`. */
export interface LoginLine {
  readonly username: string | undefined
  readonly password: string | undefined
}

export function parseLogin(line: Buffer): LoginLine {
  let members: unknown
  try {
    members = JSON.parse(line.toString())
  } catch {
    members = null
  }
  const { id, password } = (members ?? {}) as { readonly id?: unknown; readonly password?: unknown }
  return { username: textOf(id), password: textOf(password) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
