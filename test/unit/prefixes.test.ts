/** The directories that are prefixes: by flag, variable or default, and the tree of the broker. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { DOCS, prefixPaths } from '../../src/app/site.ts'
import { readSettings } from '../../src/config/read.ts'
import { problemsOf } from '../_support/settings.ts'
import { writeTree } from '../_support/trees.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')
const BROKER = join(REPOSITORY, 'endpoints')

test('the variable: a list separated as in PATH → its directories', () => {
  const env = { ENDPOINTS_PREFIX: ['a', '@broker', '', 'b/c'].join(delimiter) }
  expect(readSettings({ env }).prefixes).toEqual(['a', '@broker', 'b/c'])
})

test('the flag: beside the variable → the flag alone counts', () => {
  const settings = readSettings({ flags: { prefixes: ['x', 'y'] }, env: { ENDPOINTS_PREFIX: 'a' } })
  expect(settings.prefixes).toEqual(['x', 'y'])
})

test('the default: no flag, no variable → an empty list', () => {
  expect(readSettings({ env: {} }).prefixes).toEqual([])
})

test('a list: a directory twice → the order of the list, the directory once', () => {
  const here = writeTree({ 'a/': '', 'b/': '' })
  expect(prefixPaths(['b', '@broker', './a', 'b/'], here)).toEqual([
    ...[join(here, 'b'), BROKER, DOCS, join(here, 'a')],
  ])
})

test('the default: ./endpoints exists → ./endpoints, then the broker', () => {
  const here = writeTree({ 'endpoints/': '' })
  expect(prefixPaths([], here)).toEqual([join(here, 'endpoints'), BROKER, DOCS])
})

test('the default: no ./endpoints → the broker alone', () => {
  expect(prefixPaths([], writeTree({}))).toEqual([BROKER, DOCS])
})

test('the broker: ./endpoints is its directory or a link to it → once', () => {
  expect(prefixPaths([], REPOSITORY)).toEqual([BROKER, DOCS])
  const here = writeTree({})
  symlinkSync(BROKER, join(here, 'endpoints'))
  expect(prefixPaths([], here)).toEqual([BROKER, DOCS])
  expect(prefixPaths(['@broker', 'endpoints'], here)).toEqual([BROKER, DOCS])
})

test('@docs: with and without @broker → its directory once, at its first place', () => {
  const here = writeTree({ 'a/': '' })
  const a = join(here, 'a')
  expect(prefixPaths(['a', '@docs'], here)).toEqual([a, DOCS])
  expect(prefixPaths(['@docs', 'a', '@broker'], here)).toEqual([DOCS, a, BROKER])
  expect(prefixPaths(['@broker', 'a', '@docs'], here)).toEqual([BROKER, DOCS, a])
})

test('a list: a tree that does not exist → refused, with the names of those that do', () => {
  const known = 'there is no tree @dcos; use @broker or @docs, or ./@dcos for a directory of that name'
  expect(problemsOf({ flags: { prefixes: ['a', '@dcos'] } })).toEqual([`--prefix: ${known}`])
  expect(problemsOf({ env: { ENDPOINTS_PREFIX: '@dcos' } })).toEqual([`ENDPOINTS_PREFIX: ${known}`])
  const here = writeTree({ '@dcos/': '' })
  expect(problemsOf({ flags: { prefixes: ['./@dcos'] } })).toEqual([])
  expect(prefixPaths(['./@dcos'], here)).toEqual([join(here, '@dcos')])
})

test('a list: a missing directory → kept, so that the start can name it', () => {
  const here = writeTree({})
  expect(prefixPaths(['missing'], here)).toEqual([join(here, 'missing')])
  mkdirSync(join(here, 'missing'))
  expect(prefixPaths(['missing'], here)).toEqual([join(here, 'missing')])
})
