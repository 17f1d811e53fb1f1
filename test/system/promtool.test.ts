/** The tools of Prometheus accept the metrics, the alert rules and the queries of the board. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { METRICS } from '../../src/metrics/table.ts'
import { ADAPTERS } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { useEveryFeature } from '../_support/every-feature.ts'
import { request } from '../_support/http.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ALERTS = join(ROOT, 'docs/alerts.yml')

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (!hasPromtool) {
  console.warn(
    'promtool (Debian: prometheus) is not installed: its checks of metrics and alert rules are left out',
  )
}
const withPromtool = test.skipIf(!hasPromtool)

/** Runs promtool. Returns its exit code with all that it printed. */
function promtool(
  args: readonly string[],
  input = '',
): { readonly code: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  return { code: status, said: stdout + stderr }
}

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

const { panels } = JSON.parse(readFileSync(join(ROOT, 'docs/grafana.json'), 'utf8')) as { panels: Panel[] }
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const { groups } = parse(readFileSync(ALERTS, 'utf8')) as { groups: { rules: { expr: string }[] }[] }
const conditions = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))

test.each(ADAPTERS)('metrics of adapter %s: promtool check metrics → no finding', async (adapter) => {
  const broker = await BrokerUnderTest.start({
    adapter,
    mqtt: true,
    env: { COMMON_SEND_MESSAGE_PERIOD: '0' },
  })
  await useEveryFeature(broker, () => true)
  const headers = { authorization: `Bearer ${broker.token}` }
  const text = (await request(broker.port, 'GET', '/metrics', { headers })).text()
  expect(text).toContain('waybill_attempts_total{transport="MQTT"')
  if (hasPromtool) expect(promtool(['check', 'metrics'], text)).toEqual({ code: 0, said: '' })
})

withPromtool('alert rules: promtool → valid, and each fires when it should', () => {
  expect(promtool(['check', 'rules', ALERTS])).toMatchObject({ code: 0 })
  expect(promtool(['test', 'rules', join(ROOT, 'test/system/alerts.test.yml')])).toMatchObject({ code: 0 })
})

withPromtool('board: the queries of its panels → valid PromQL', () => {
  const rules = queries.map((expr, i) => {
    const plain = expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:job|instance)/g, '.*')
    return { record: `panel:query:number${i}`, expr: plain }
  })
  const file = join(temporaryDirectory(), 'board.yml')
  writeFileSync(file, stringify({ groups: [{ name: 'board', rules }] }))
  expect(promtool(['check', 'rules', file])).toMatchObject({ code: 0 })
})

test('board and alert rules: their metrics → exist; each metric of the table → is on the board', () => {
  const known = METRICS.flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
  const used = [...queries, ...conditions].join(' ').match(/waybill_\w+/g) ?? []
  expect([...new Set(used)].filter((name) => !known.includes(name))).toEqual([])
  const shown = queries.join(' ')
  const missing = METRICS.filter(({ name }) => !shown.includes(name)).map(({ name }) => name)
  expect(missing).toEqual(['waybill_info', 'waybill_incidents', 'waybill_incident_read_seconds'])
})
