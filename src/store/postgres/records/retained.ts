/** Stores the retained messages of the nodes. */
import type { Cluster } from '../../../broker/contract/cluster.ts'
import type { RetainedDirectory, RetainedEntry } from '../../../transport/node-directory.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'

interface RetainCall {
  readonly topic: string
  readonly topic_json: string
  readonly content: string | null
  readonly expires_at_ms: number | null
}

interface Row {
  readonly topic: string
  readonly content: string
  readonly expiresAtMs: number | null
}

type Parts = Pick<PostgresParts, 'verbs' | 'reads' | 'journal'>

export function postgresRetained({ verbs, reads, journal }: Parts, cluster: Cluster): RetainedDirectory {
  const retain = verbs.write<RetainCall, null>({
    name: 'retain',
    keysOf: ({ topic }) => ({ alone: [topic], shared: [] }),
  })
  const read = async (rest: string, values: unknown[]): Promise<readonly RetainedEntry[]> => {
    const rows = await reads.run<Row>(
      `SELECT topic, content, expires_at_ms AS "expiresAtMs" FROM mqtt_retained WHERE ${rest}`,
      values,
    )
    return rows.map((row) => ({ ...row, topic: decodeText(row.topic) }))
  }
  return {
    async put({ topic, content, expiresAtMs }) {
      const call = { topic: encodeText(topic), topic_json: JSON.stringify(topic) }
      await retain({ ...call, content, expires_at_ms: expiresAtMs })
    },
    read: (topics) => read('topic = ANY($1)', [topics.map((topic) => encodeText(topic))]),
    list: (after, limit) => read('topic > $1 ORDER BY topic LIMIT $2', [encodeText(after), limit]),
    watch(listener) {
      const unsubscribe = [
        cluster.onNews((news) => {
          if (news.is === 'retained') listener(news.topic)
        }),
        journal.onGap(() => listener(null)),
      ]
      return () => {
        for (const each of unsubscribe) each()
      }
    },
  }
}
