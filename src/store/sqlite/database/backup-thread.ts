/** Worker thread that copies a database and ends, so that the copy blocks no other work. Posts its error. */
import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../../../process/thread-priority.ts'
import { copyDatabase } from './backup.ts'
import { toFailure } from './faults.ts'

lowerThreadPriority()
try {
  copyDatabase(workerData.from, workerData.to)
} catch (error) {
  parentPort?.postMessage(toFailure(error))
}
