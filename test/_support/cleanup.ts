/** Runs the clean-up steps of a test, newest first: after the test, or after the file when no test is running. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject, onTestFinished, TestRunner } from 'vitest'
import './provided.ts'

type CleanUp = () => unknown

const forTheFile: CleanUp[] = []

export function whenDone(cleanUp: CleanUp): void {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await cleanUp()))
  else forTheFile.push(cleanUp)
}

/** Runs the clean-up steps of a file. The setup calls it after each file. @throws the first failure, after all steps */
export async function cleanUpFile(): Promise<void> {
  const failures: unknown[] = []
  for (const cleanUp of forTheFile.splice(0).toReversed()) {
    try {
      await cleanUp()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Creates a directory that is removed after the test or the file. */
export function temporaryDirectory(): string {
  const path = lastingDirectory()
  whenDone(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Creates a directory that several test files of one worker may share. It is removed at the end of the run. */
export function lastingDirectory(): string {
  return mkdtempSync(join(inject('temporaryRoot'), 'd-'))
}
