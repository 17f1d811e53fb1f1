/** /admin/api/system: reports on the server and makes backups. */
import { actorOf, entryOf } from '../../../src/audit/actor.ts'
import type { UsesOwn } from '../../../src/services.ts'
import { Endpoint, Reply } from '../../../src/web/endpoint.ts'
import { STORAGE_ERRORS } from '../../../src/wire/errors.ts'
import { ATTACHMENT_HEADER } from './_answers.ts'
import { BackupFile, SystemAnswer, SystemQuery, toSystemAnswer } from './_system.ts'

const NO_CONTENT: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} }

export const tag = { name: 'System', description: 'Server, settings and backups' }

export class Default extends Endpoint<UsesOwn<'system'>> {
  static access = ['MAN', 'READER']
  static keywords = { GET: SystemQuery }
  static operationId = { GET: 'getSystem' }
  static summary =
    'Show version, addresses, settings with their origin, disk space, and the load of the process'
  static responses = { GET: SystemAnswer }
  static errors = { GET: STORAGE_ERRORS }

  async GET({ details = false, language }: SystemQuery) {
    return toSystemAnswer(await this.services.system(language), details)
  }
}

export class Backup extends Endpoint<UsesOwn<'backups' | 'audit'>> {
  static access = 'MAN'
  static operationId = { GET: 'downloadBackup' }
  static summary = 'Download a backup of all messages and clients, for "waybill db restore"'
  static responses = { GET: BackupFile }
  static replyHeaders = { GET: ATTACHMENT_HEADER }
  static errors = { GET: ['backup-running', 'backup-no-room', ...STORAGE_ERRORS] }

  async GET() {
    const name = `waybill-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`
    const headers = {
      'content-type': 'application/vnd.sqlite3',
      'content-disposition': `attachment; filename="${name}"`,
    }
    // HEAD needs no copy of the database. It may omit an unknown length (RFC 9110 section 9.3.2).
    const content = this.call.method === 'HEAD' ? NO_CONTENT : await this.#make(name)
    return new Reply(200, content, { headers })
  }

  /**
   * Creates a backup, with a line in the audit trail unless the backup is refused. The backup itself does not contain
   * the line.
   */
  async #make(name: string): Promise<AsyncIterable<Uint8Array>> {
    const { audit, backups } = this.services
    const by = actorOf(this.call)
    const content = await backups.make()
    try {
      await audit.add(entryOf(by, 'backup.download', name))
    } catch (error) {
      await content[Symbol.asyncIterator]().return?.()
      throw error
    }
    return content
  }
}
