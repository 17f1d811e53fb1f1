/** Runs what a test left to be cleaned up, newest first: after the test, or after the file when no test is running. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished, TestRunner } from 'vitest'

type CleanUp = () => unknown

const forTheFile: CleanUp[] = []
afterAll(async () => {
  for (const cleanUp of forTheFile.splice(0).toReversed()) await cleanUp()
})

export function whenDone(cleanUp: CleanUp): void {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await cleanUp()))
  else forTheFile.push(cleanUp)
}

/** A directory of its own, which is removed afterwards. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'waybill-test-'))
  whenDone(() => rmSync(path, { recursive: true, force: true }))
  return path
}
