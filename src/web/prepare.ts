/** Lets a class read what it needs at load, before any request. Knows no particular class. */
import type { AddProblem, Handler } from './handler.ts'

/**
 * Name of a static method that the loader awaits. It adds the directories whose files are the data of the class: they hold
 * no modules, and --watch watches them. An error stops the start.
 *
 * A registered symbol, so that a class of another copy of this package is prepared too.
 */
export const PREPARE = Symbol.for('waybill.prepare')

interface Preparable {
  readonly [PREPARE]?: (handler: Handler, directories: string[]) => Promise<void>
}

/** Prepares a class and the classes nested in it. Adds the directories of their data to `directories`. */
export async function prepare(
  handler: Handler,
  directories: string[],
  addProblem: AddProblem,
): Promise<void> {
  const { endpoint, file, name, nested } = handler
  try {
    await (endpoint as unknown as Preparable)[PREPARE]?.(handler, directories)
  } catch (error) {
    addProblem(`${file}: class ${name}: ${(error as Error).message}`)
  }
  for (const inner of nested.values()) await prepare(inner, directories, addProblem)
}
