/** Runs what a test left to be cleaned up, newest first: after the test, or after the file when no test is running. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

type CleanUp = () => unknown

const forTheFile: CleanUp[] = []
afterAll(async () => {
  for (let next = forTheFile.pop(); next; next = forTheFile.pop()) await next()
})

export function whenDone(cleanUp: CleanUp): void {
  try {
    onTestFinished(async () => void (await cleanUp()))
  } catch {
    // Called from beforeAll or at the top of a file.
    forTheFile.push(cleanUp)
  }
}

/** A directory of its own, which is removed afterwards. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'waybill-test-'))
  whenDone(() => rmSync(path, { recursive: true, force: true }))
  return path
}
