/** The files of deploy/ as the tools that read them see them. A test whose tool is not on this machine is left out. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../src/config/table.ts'
import { hasOpenssl, makeCertificate } from '../_support/certificates.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'

/** Highest exposure that `systemd-analyze security` may find, in tenths. 0 is best, 100 worst. */
const EXPOSURE = '15'

const DEPLOY = join(import.meta.dirname, '../../deploy')
const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8')

// nginx is in /usr/sbin, which the path of a user may lack.
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
const has = (tool: string): boolean => spawnSync('sh', ['-c', `command -v ${tool}`], { env }).status === 0

function run(tool: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(tool, args, { env, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

/** Returns the unit with a program that is on this machine, since `verify` looks for it. */
function unit(): string {
  const path = join(temporaryDirectory(), 'waybill.service')
  writeFileSync(path, read('waybill.service').replace('/usr/bin/waybill', process.execPath))
  return path
}

test('Dockerfile: linted → no finding; not root, no shell before the server', () => {
  expect(validate(read('Dockerfile'))).toEqual([])
  expect(read('Dockerfile')).toMatch(/^USER node$/m)
  expect(read('Dockerfile')).toMatch(
    /^ENTRYPOINT \["node", "\/app\/node_modules\/waybill\/dist\/bin\/waybill\.js"\]$/m,
  )
})

test('Dockerfile: packages of the image → those of the lock file, beside which Waybill is installed', () => {
  expect(read('Dockerfile')).toMatch(
    /npm ci .* && npm prune --omit=dev && mkdir \/app && mv node_modules \/app[^&]*&& npm install --prefix \/app /,
  )
})

test.each([
  ...['Dockerfile', 'docker-compose.yml', 'waybill.service', 'nginx.conf', 'Caddyfile'],
  ...['haproxy.cfg', 'many-nodes.conf'],
])('%s: names of settings → those of the product', (name) => {
  const known = new Set(SETTINGS.map(({ env }) => env))
  const named = read(name).match(/\b(?:WAYBILL|REST|MQTT|APP|JWT|TLS)_[A-Z_]+\b/g) ?? []
  expect(named.filter((each) => !known.has(each))).toEqual([])
})

test('waybill.service: systemd-analyze verify → no word', ({ skip }) => {
  skip(!has('systemd-analyze'), 'systemd-analyze is not installed')
  expect(run('systemd-analyze', 'verify', '--man=no', unit())).toEqual({ status: 0, output: '' })
})

test('waybill.service: systemd-analyze security → at most 1.5', ({ skip }) => {
  skip(!has('systemd-analyze'), 'systemd-analyze is not installed')
  const { status, output } = run(
    'systemd-analyze',
    'security',
    '--offline=true',
    `--threshold=${EXPOSURE}`,
    unit(),
  )
  expect(status, output).toBe(0)
})

test('nginx.conf: nginx -t → successful', ({ skip }) => {
  skip(!has('nginx') || !hasOpenssl, 'nginx or openssl is not installed')
  const directory = temporaryDirectory()
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  makeCertificate(cert, key, 'waybill.example.com')
  let sockets = 0
  const server = read('nginx.conf')
    .replace('/etc/ssl/waybill/fullchain.pem', cert)
    .replace('/etc/ssl/waybill/privkey.pem', key)
    // Ports below 1024 need root, and another server may have them.
    .replaceAll(/listen (?:\[::\]:)?\d+/g, () => `listen unix:${directory}/${++sockets}.socket`)
  writeFileSync(join(directory, 'waybill.conf'), server)
  const main = join(directory, 'nginx.conf')
  writeFileSync(
    main,
    `pid ${directory}/pid; error_log stderr; events {} http { access_log off; include ${directory}/waybill.conf; }`,
  )
  const { status, output } = run('nginx', '-t', '-p', directory, '-c', main)
  expect(status, output).toBe(0)
  expect(output).not.toContain('[warn]')
})

test('haproxy.cfg: haproxy -c → valid, without a warning', ({ skip }) => {
  skip(!has('haproxy') || !hasOpenssl, 'haproxy or openssl is not installed')
  const directory = temporaryDirectory()
  const [cert, key, both] = ['cert.pem', 'key.pem', 'both.pem'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  makeCertificate(cert, key, 'waybill.example.com')
  writeFileSync(both, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'))
  const file = join(directory, 'haproxy.cfg')
  writeFileSync(file, read('haproxy.cfg').replaceAll('/etc/haproxy/waybill.pem', both))
  const { status, output } = run('haproxy', '-c', '-f', file)
  expect(status, output).toBe(0)
  expect(output).not.toContain('WARNING')
})

test('Caddyfile: caddy validate → valid', ({ skip }) => {
  skip(!has('caddy'), 'caddy is not installed')
  const file = join(DEPLOY, 'Caddyfile')
  const { status, output } = run('caddy', 'validate', '--adapter', 'caddyfile', '--config', file)
  expect(status, output).toBe(0)
})
