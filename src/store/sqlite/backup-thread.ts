/** A thread that copies a database and ends: nobody waits behind it. Tells an error, if there was one. */
import { parentPort, workerData } from 'node:worker_threads'
import { copyDatabase } from './backup.ts'
import { toFailure } from './faults.ts'

try {
  copyDatabase(workerData.from, workerData.to)
} catch (error) {
  parentPort?.postMessage(toFailure(error))
}
