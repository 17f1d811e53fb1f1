/** The thread that writes: a transaction for each batch that it is sent. Knows no tables. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Statement } from 'better-sqlite3'
import { connect } from './connection.ts'
import { foreseen, toError, toFailure } from './faults.ts'
import type { Outcome, Unit, Value } from './writer.ts'

const port = parentPort as MessagePort
const db = plainly(() => connect(workerData as string))
const statements: Statement<Value[]>[] = []
const begin = db.prepare('BEGIN IMMEDIATE')
const end = db.prepare('COMMIT')
const rollback = db.prepare('ROLLBACK')

port.on('message', (message: string | readonly Unit[] | null) => {
  if (typeof message === 'string') statements.push(plainly(() => db.prepare<Value[]>(message)))
  else if (message !== null) port.postMessage(commit(message))
  else {
    db.close()
    port.close()
  }
})

function commit(units: readonly Unit[]): Outcome[] {
  try {
    begin.run()
    const outcomes = units.map(run)
    end.run()
    return outcomes
  } catch (error) {
    // Some errors (a full disk among them) make SQLite roll back by itself.
    if (db.inTransaction) rollback.run()
    const failure = toFailure(error)
    if (units.length === 1 || foreseen(failure)) return units.map(() => failure)
    // One of them is to blame, and it alone shall fail.
    return units.flatMap((unit) => commit([unit]))
  }
}

function run(unit: Unit): number[] {
  return unit.map(([statement, ...parameters]) => {
    return (statements[statement] as Statement<Value[]>).run(...parameters).changes
  })
}

/** An error of the driver's own class would lose its message on the way out of the thread. */
function plainly<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw toError(toFailure(error))
  }
}
