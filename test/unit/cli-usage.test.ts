/** Wrong uses of the commands that call a server: each ends with exit code 2 and a reason, before any request. */
import { expect, test } from 'vitest'
import { waybill } from '../_support/command.ts'

test.each([
  [['send', 'x', 'y', '--valid-seconds', '0'], /Expected a positive integer/],
  [['send', 'x', 'y', '--delay-seconds', '1.5'], /Expected a positive integer/],
  [['send', 'x', 'y', '--finish-seconds', 'soon'], /Expected a positive integer/],
  [['send', 'x', 'y', '--max-attempts', '-1'], /Expected a positive integer/],
  [['send', 'x', 'y', '--replaces', 'last'], /Expected a positive integer/],
  [['send', 'x', 'y', '--idempotency-key', 'a b'], /Expected 1 to 64 printable ASCII characters/],
  [['cancel'], /give the id of a message, or --device with the id of a device$/],
  [['cancel', '1', '--device', 'x'], /give the id of a message, or --device with the id of a device$/],
  [['cancel', 'x'], /Expected a positive integer/],
  [['cancel', '1', '--command', 'start'], /--command needs --device, not the id of a message$/],
  [['cancel', '--command', 'start'], /give the id of a message, or --device with the id of a device$/],
  [['replay'], /give the id of a message, --device DEVICE, or --all$/],
  [['replay', '1', '--all'], /give the id of a message, --device DEVICE, or --all$/],
  [['replay', '--all', '--device', 'x'], /give the id of a message, --device DEVICE, or --all$/],
  [['replay', '1', '--command', 'x'], /--command needs --device or --all, not the id of a message$/],
  [['messages', '--limit', '0'], /Expected a positive integer/],
  [['messages', '--status', 'LOST'], /Allowed choices are NOT_DELIVERED, DELIVERED/],
  [['messages', '--parked', '--status', 'DELIVERED'], /a parked message is UNKNOWN, not DELIVERED/],
  [['messages', '--since', 'yesterday'], /Expected a time such as 2h \(before now\), 2026-01-31 or/],
  [['messages', '--since', '1h', '--until', '2h'], /--until: give a time after --since$/],
  [
    ['export', '--changed-since', '1h', '--changed-until', '2h'],
    /--changed-until: give a time after --changed-since$/,
  ],
  [['messages', 'a', 'b'], /too many arguments/],
  [['messages', 'show'], /missing required argument 'id'/],
  [['messages', 'show', 'last'], /Expected a positive integer/],
  [['messages', 'show', '1', '--limit', '2'], /unknown option '--limit'/],
  [['devices', '--late', 'long'], /Expected a duration, such as 30s, 15m, 2h or 7d/],
  [['devices', '--silent=-1'], /Expected a duration/],
  [['watch', '--kind', 'device'], /Allowed choices are message, connection/],
  [['watch', '--count', '0'], /Expected a positive integer/],
  [['device', 'set', 'x'], /give at least one setting/],
  [['simulate', 'x', '--wait-seconds', '61'], /Expected an integer of 0 to 60/],
  [['simulate', 'x', '--busy', '86401'], /Expected an integer of 0 to 86400/],
  [['simulate', 'x', '--result', '{'], /expected JSON: line 1, column 2: unexpected end$/],
  [['simulate', 'x', '--result', '{}', '--deaf'], /cannot be used with option '--deaf'/],
  [['simulate', 'x', '--reason', 'stuck', '--deaf'], /cannot be used with option '--deaf'/],
] as const)('%j → exit code 2 and the reason', async (argv, reason) => {
  const { code, stdout, stderr } = await waybill(...argv)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.split('\n')[0]).toMatch(reason)
})

test.each([
  [['sned', 'x', 'y', '--data', '{}'], "unknown command 'sned'. Did you mean send?"],
  [['frobnicate'], "unknown command 'frobnicate'"],
  [['client', 'lst'], "unknown command 'lst'. Did you mean list?"],
  [['send', 'x', 'y', '--tokn', 'z'], "unknown option '--tokn'. Did you mean --token?"],
  [['--hots', ':0'], "unknown option '--hots'. Did you mean --host?"],
])('%j → exit code 2, the nearest name, no server', async (argv, message) => {
  const stderr = `waybill: ${message}\n"waybill --help" lists commands and flags.\n`
  expect(await waybill(...argv)).toEqual({ code: 2, stdout: '', stderr })
  const json = `${JSON.stringify({ error: 'usage', message })}\n`
  expect(await waybill(...argv, '--json')).toEqual({ code: 2, stdout: '', stderr: json })
})

test('a group without a command → exit code 2, its help', async () => {
  const { code, stderr } = await waybill('client')
  expect(code).toBe(2)
  expect(stderr).toMatch(/^Usage: waybill client/)
})

test('device set --help → an option for each setting, with its values and the general value', async () => {
  const { stdout } = await waybill('device', 'set', '--help')
  const help = stdout.replace(/\s+/g, ' ')
  expect(help).toContain('--next-after <DELIVERED|COMPLETED> status of a command')
  expect(help).toContain('--details <true|false> delivered messages carry')
  expect(help).toContain('--finish-seconds <s> time from DELIVERED to a final status, for a message without')
  expect(help).toContain('general: none')
  expect(help).toContain('general: COMMON_MAX_ATTEMPTS')
})
