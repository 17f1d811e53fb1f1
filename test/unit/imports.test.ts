/** Who may import whom. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The first rule whose place a file is in holds for it: the places (and packages) it may import from. */
const RULES: readonly [place: string, allowed: readonly string[]][] = [
  ['bin/', ['src/cli.ts', 'close-with-grace']],
  [
    'endpoints/_services.ts',
    [
      'endpoints/',
      'src/auth/',
      'src/broker/',
      'src/store/',
      'src/config.ts',
      'src/services.ts',
      'src/system.ts',
      'src/web/',
    ],
  ],
  [
    'endpoints/_mqtt.ts',
    [
      'endpoints/_errors.ts',
      'src/address.ts',
      'src/auth/',
      'src/broker/',
      'src/config.ts',
      'src/mqtt/',
      'src/web/',
      'src/wire.ts',
    ],
  ],
  [
    'endpoints/_errors.ts',
    ['src/auth/errors.ts', 'src/broker/errors.ts', 'src/web/errors.ts', 'src/wire.ts'],
  ],
  ['endpoints/v3.ts', ['src/services.ts', 'src/web/endpoint.ts', 'src/web/schema.ts', 'yaml']],
  [
    'endpoints/admin/api/_csv.ts',
    ['endpoints/', 'src/auth/', 'src/web/validators.ts', 'src/web/endpoint.ts', 'csv-parse', 'csv-stringify'],
  ],
  [
    'endpoints/',
    [
      'endpoints/',
      'src/services.ts',
      'src/wire.ts',
      'src/auth/own-queue.ts',
      'src/web/endpoint.ts',
      'src/web/schema.ts',
      'src/system.ts',
      'src/mqtt/open.ts',
      'src/broker/archive.ts',
      'src/broker/attention.ts',
      'src/broker/errors.ts',
      'src/broker/overview.ts',
      'src/broker/refusals.ts',
      'src/broker/tally.ts',
      'src/broker/devices.ts',
      'src/broker/feed.ts',
      'src/broker/messages.ts',
      'src/broker/status.ts',
      'src/broker/store.ts',
      'src/broker/templates.ts',
      'src/auth/clients.ts',
      'src/auth/imports.ts',
    ],
  ],
  ['src/web/uws', ['src/web/', 'uWebSockets.js']],
  ['src/web/node', ['src/web/', 'ws']],
  ['src/web/', ['src/web/', 'acorn', '@sinclair/typebox', '@fastify/busboy', 'fast-querystring']],
  ['src/wire.ts', ['src/web/', 'src/broker/']],
  ['src/client/', ['src/client/', 'openapi-fetch']],
  ['src/ui/vite.config.ts', ['vite']],
  [
    'src/ui/',
    [
      'src/ui/',
      'src/client/index.ts',
      'preact',
      '@preact/signals',
      'wouter-preact',
      'lucide-preact',
      'nanostores',
      '@nanostores/',
      'uplot',
      '@picocss/pico',
    ],
  ],
  ['src/cli/', ['src/cli/', 'src/client/', 'src/web/endpoint.ts', 'src/web/json.ts', 'commander', 'mqtt']],
  ['src/broker/', ['src/broker/']],
  ['src/mqtt/topics.ts', []],
  [
    'src/mqtt/',
    ['src/mqtt/', 'src/broker/', 'src/auth/', 'src/wire.ts', 'src/start-error.ts', 'aedes', 'mqtt-packet'],
  ],
  [
    'src/auth/',
    ['src/auth/', 'src/start-error.ts', 'bcrypt', 'jsonwebtoken', 'lru-cache', 'rate-limiter-flexible'],
  ],
  [
    'src/store/',
    ['src/store/', 'src/broker/', 'src/auth/clients.ts', 'src/start-error.ts', 'better-sqlite3'],
  ],
]

function sources(directory: string): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(directory, name))
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\(\s*)'([^']+)'/g)]
    .map((match) => match[1] as string)
    .filter((name) => !name.startsWith('node:'))
    .map((name) => (name.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), name)) : name))
}

test.each(['bin', 'endpoints', 'src'].flatMap(sources))('%s imports only what it may', (file) => {
  const rule = RULES.find(([place]) => file.startsWith(place))
  const forbidden = rule
    ? importsOf(file).filter((name) => !rule[1].some((allowed) => name.startsWith(allowed)))
    : []
  expect(forbidden).toEqual([])
})

test('the environment has one reader', () => {
  const readers = ['bin', 'endpoints', 'src'].flatMap(sources).filter((file) => {
    return readFileSync(join(ROOT, file), 'utf8').includes('process.env')
  })
  expect(readers).toEqual(['src/config.ts'])
})
