/** Reads the text of /metrics. */

/** Values by series, such as `waybill_status_total{status="DELIVERED"}`. */
export type Series = ReadonlyMap<string, number>

export function seriesOf(text: string): Series {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

/** Returns the values that a label has over all series. */
export function valuesOf(series: Series, label: string): Set<string> {
  const found = [...series.keys()].flatMap(
    (name) => new RegExp(`[{,]${label}="([^"]*)"`).exec(name)?.[1] ?? [],
  )
  return new Set(found)
}
