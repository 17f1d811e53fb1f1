/** Performs the changes of administrators, one verb for all, and reports their audit lines. */
import type { AuditEntry } from '../../../audit/audit.ts'
import { SHARED, type Verbs } from '../database/verbs.ts'
import { type AddedLine, auditCall } from './audit-lines.ts'

/** Result of one call of `administer`. Other members depend on the call. */
export interface AdminResult {
  readonly line?: AddedLine | null
  readonly error?: string
}

interface AdminCall {
  readonly entry: AuditEntry | null
  /** Called with the result, even if it came too late for the caller. */
  readonly onResult: (result: never) => void
  /** Omits members that the database does not need. */
  toJSON(): unknown
}

export class AdminCalls {
  readonly #onLine: (entry: AuditEntry | null, line: AddedLine | null) => void
  readonly #administer: (call: AdminCall) => Promise<AdminResult>

  /** @param onLine called with the entry of each call, and with the line that the database added for it */
  constructor(verbs: Verbs, onLine: (entry: AuditEntry | null, line: AddedLine | null) => void) {
    this.#onLine = onLine
    this.#administer = verbs.write<AdminCall, AdminResult>({
      name: 'administer',
      keysOf: () => SHARED,
      onLate: (call, result) => this.#done(call, result),
    })
  }

  /**
   * Performs a call.
   *
   * @param verb name of a branch of `administer`
   * @param onResult called with the result before the promise resolves, and also if the caller got an error because the result came too late
   */
  async perform<Result extends AdminResult>(
    verb: string,
    parameters: Readonly<Record<string, unknown>>,
    entry: AuditEntry | null = null,
    onResult: (result: Result) => void = () => {},
  ): Promise<Result> {
    const toJSON = () => ({ ...parameters, verb, audit: auditCall(entry) })
    const call: AdminCall = { entry, onResult, toJSON }
    const result = (await this.#administer(call)) as Result
    this.#done(call, result)
    return result
  }

  #done({ entry, onResult }: AdminCall, result: AdminResult): void {
    onResult(result as never)
    this.#onLine(entry, result.line ?? null)
  }
}
