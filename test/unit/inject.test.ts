/** Runs the cases of the adapter contract that need no socket on `inject`. */
import { injectSuite } from '../contract/adapter.ts'

injectSuite()
