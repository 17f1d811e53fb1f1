/** Medians, ratios, verdicts and tables. Knows no server. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2
}

/** The median of the runs' own ratios: two that ran one after the other shared what else the machine did. */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, run) => value / (theirs[run] as number)))
}

/** "0.93 (at most 1.10: pass)" */
export function atMost(value: number, wanted: number, digits = 2): string {
  return `${value.toFixed(digits)} (at most ${wanted}: ${value <= wanted ? 'pass' : 'MISS'})`
}

export function atLeast(value: number, wanted: number, digits = 2): string {
  return `${value.toFixed(digits)} (at least ${wanted}: ${value >= wanted ? 'pass' : 'MISS'})`
}

export function printTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] as string).length)),
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd()
  console.log(`\n## ${title}\n`)
  console.log(line(head))
  console.log(widths.map((width) => '-'.repeat(width)).join('  '))
  for (const row of rows) console.log(line(row))
}
