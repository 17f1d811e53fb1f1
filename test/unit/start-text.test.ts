/** The line of a start as a person reads it on a terminal. */
import { expect, test } from 'vitest'
import { startText } from '../../src/process/start-text.ts'

const FIELDS = {
  http: 'http://127.0.0.1:8080',
  mqtt: 'mqtt://127.0.0.1:1883',
  page: 'http://127.0.0.1:8080/',
  dataDir: '/var/lib/waybill',
  version: '1.2.3',
}

test('start text: the broker → the page, MQTT, the data and what to do next, each once', () => {
  expect(startText(FIELDS)).toBe(`Waybill 1.2.3 is ready
    Admin page  http://127.0.0.1:8080/
    MQTT        mqtt://127.0.0.1:1883
    Data        /var/lib/waybill
    Next        sign in on the admin page; "waybill --help" lists the commands for scripts
    Stop        Ctrl+C`)
})

test('start text: all addresses of the machine, MQTT off → the address beside the page, no MQTT', () => {
  const lines = startText({ ...FIELDS, http: 'http://0.0.0.0:8080', mqtt: null }).split('\n')
  expect(lines.slice(1, 4)).toEqual([
    '    Admin page  http://127.0.0.1:8080/',
    '    Address     http://0.0.0.0:8080',
    '    Data        /var/lib/waybill',
  ])
})

test('start text: endpoints without the broker → the address alone', () => {
  const text = startText({ ...FIELDS, mqtt: null, page: null, dataDir: null })
  expect(text).toBe('Waybill 1.2.3 is ready\n    Address     http://127.0.0.1:8080\n    Stop        Ctrl+C')
})
