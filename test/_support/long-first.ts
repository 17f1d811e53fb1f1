/** Order of the test files: the long ones first, so that no worker runs a long file alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take more than a minute on a busy machine, the longest first. */
const LONG = [
  'store-postgres',
  'ui-every-screen',
  'start-postgres-refused',
  'installed',
  'rest-waits',
  'ui-messages',
  'mqtt-fuzz',
  'store-histories-postgres',
  'cli-remote',
  'damaged',
  'cluster-telemetry',
  'docs-examples',
  'shared-state-postgres',
]

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // A worker keeps what it has loaded as long as the project is the same.
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).toSorted((a, b) => rankOf(a) - rankOf(b)),
    )
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const at = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return at === -1 ? LONG.length : at
}
