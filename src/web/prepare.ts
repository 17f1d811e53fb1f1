/** Lets a class load its data before any request. Knows no particular class. */
import type { AddProblem, Handler } from './handler.ts'

/**
 * Name of a static method that the loader awaits. It adds the directories of the data files of the class: they contain
 * no modules, and --watch watches them. An error prevents the start.
 *
 * A registered symbol, so that classes of another copy of this package are prepared too.
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
