/** Removes code of uPlot that the charts never use: its legend, splines, and dates. */
import type { Plugin } from 'vite'

const FILE = /uplot\/dist\/uPlot\.esm\.js$/
/** Texts of uPlot, and their replacements. The charts write their dates, legends and times themselves. */
const REPLACED: readonly (readonly [text: string, by: string])[] = [
  ['const showLegend = legend.show;', ''],
  ['showLegend', 'false'],
  ['legend.live', 'false'],
  ['(paths.spline  = monotoneCubic);', ''],
  ['uPlot.join = join;', ''],
  ['uPlot.fmtDate = fmtDate;', ''],
  ['uPlot.tzDate  = tzDate;', ''],
  ['uPlot.rangeAsinh = rangeAsinh;', ''],
  ['(opts.fmtDate || fmtDate)', 'null'],
  [
    'timeAxisVals(_tzDate, timeAxisStamps((ms == 1 ? _timeAxisStampsMs : _timeAxisStampsS), _fmtDate))',
    'null',
  ],
  ['timeAxisVals(_tzDate, timeAxisStamps(av, _fmtDate))', 'null'],
  ['timeAxisVal(_tzDate, av)', 'null'],
  ['timeSeriesVal(_tzDate, timeSeriesStamp(_timeSeriesStamp, _fmtDate))', 'null'],
  ['timeSeriesVal(_tzDate, timeSeriesStamp(sv, _fmtDate))', 'null'],
  ['days.map(slice3)', 'days'],
  ['months.map(slice3)', 'months'],
  ['new Intl.DateTimeFormat().resolvedOptions().timeZone', 'null'],
  ['genIncrs(2, -53, 53, [1]);', ''],
  ['\t\t_timeAxisStamps,\n', '\t\tnull,\n'],
  ['ms == 1 ? timeIncrsMs : timeIncrsS', 'timeIncrsS'],
  ['ms == 1 ? timeAxisSplitsMs(_tzDate) : timeAxisSplitsS(_tzDate)', 'timeAxisSplitsS(_tzDate)'],
  ['const [ timeIncrsMs, _timeAxisStampsMs, timeAxisSplitsMs ] = genTimeStuffs(1);', ''],
  ['sc.distr == 4 ? asinhAxisSplits : ', ''],
  ['sc.distr == 3 && sc.log == 2 ? log2AxisValsFilt : ', ''],
  ['sc.distr == 4   ? val => asinh(val, sc.asinh) :', ''],
  ['distr == 4 ? asinh(sc.min, sc.asinh) : ', ''],
  ['distr == 4 ? asinh(sc.max, sc.asinh) : ', ''],
  ['sc.distr == 4 ? snapAsinhX : ', ''],
  ['sc.distr == 4 ? snapAsinhY : ', ''],
  ['uPlot.fmtNum = fmtNum;', ''],
  ['uPlot.rangeNum = rangeNum;', ''],
  ['uPlot.rangeLog = rangeLog;', ''],
  ['distr == 4 ? sinh(sv, sc.asinh) :', ''],
]

export function withoutUnusedPlots(): Plugin {
  return {
    name: 'without-unused-plots',
    enforce: 'pre',
    transform(code, id) {
      return FILE.test(id) ? { code: REPLACED.reduce(replaced, code), map: null } : null
    },
  }
}

/** Replaces all occurrences of a text. Throws if there is none, because another version of uPlot may lack it. */
function replaced(code: string, [text, by]: (typeof REPLACED)[number]): string {
  if (!code.includes(text)) throw new Error(`uPlot has no “${text}”.`)
  return code.replaceAll(text, by)
}
