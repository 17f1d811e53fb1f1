/** Answers `/notes` and `/notes/{id}`. The name of the file is the path. */
import { Endpoint, HttpError, Reply, Text, Type } from 'waybill'
import type { Services } from './_services.ts'

export class Default extends Endpoint<Services> {
  static summary = { GET: 'List notes', POST: 'Add a note' }
  static keywords = {
    GET: Type.Object({ search: Type.String({ default: '' }) }),
    POST: Type.Object({ text: Text({ minLength: 1, maxLength: 1000 }) }),
  }

  GET({ search }: { search: string }) {
    return [...this.services.notes]
      .map(([id, text]) => ({ id, text }))
      .filter(({ text }) => text.includes(search))
  }

  POST({ text }: { text: string }) {
    const id = this.services.notes.size + 1
    this.services.notes.set(id, text)
    return new Reply(201, { id, text }, { headers: { location: `/notes/${id}` } })
  }
}

export class Note extends Endpoint<Services> {
  static segment = false
  static summary = { GET: 'Get a note' }
  static positionals = { GET: [Type.Integer({ minimum: 1 })] }

  GET(id: number) {
    const text = this.services.notes.get(id)
    if (text === undefined) throw new HttpError(404, `There is no note ${id}. GET /notes lists all.`)
    return { id, text }
  }
}
