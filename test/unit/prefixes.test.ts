/** Which directories are prefixes: the flag, the variable, the default, and the broker's own tree. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { prefixPaths } from '../../src/app/site.ts'
import { readSettings } from '../../src/config.ts'
import { writeTree } from '../_support/trees.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')
const BROKER = join(REPOSITORY, 'endpoints')

test('the variable is a list, separated as in PATH', () => {
  const env = { ENDPOINTS_PREFIX: ['a', '@broker', '', 'b/c'].join(delimiter) }
  expect(readSettings({ env }).prefixes).toEqual(['a', '@broker', 'b/c'])
})

test('the flag wins over the variable', () => {
  const settings = readSettings({ flags: { prefixes: ['x', 'y'] }, env: { ENDPOINTS_PREFIX: 'a' } })
  expect(settings.prefixes).toEqual(['x', 'y'])
})

test('with neither there is no list', () => {
  expect(readSettings({ env: {} }).prefixes).toEqual([])
})

test('the order given is the order asked; a directory given twice counts once', () => {
  const here = writeTree({ 'a/': '', 'b/': '' })
  expect(prefixPaths(['b', '@broker', './a', 'b/'], here)).toEqual([join(here, 'b'), BROKER, join(here, 'a')])
})

test('by default ./endpoints, then the broker', () => {
  const here = writeTree({ 'endpoints/': '' })
  expect(prefixPaths([], here)).toEqual([join(here, 'endpoints'), BROKER])
})

test('by default only the broker where there is no ./endpoints', () => {
  expect(prefixPaths([], writeTree({}))).toEqual([BROKER])
})

test("the broker once, where ./endpoints is the broker's own directory, or leads to it", () => {
  expect(prefixPaths([], REPOSITORY)).toEqual([BROKER])
  const here = writeTree({})
  symlinkSync(BROKER, join(here, 'endpoints'))
  expect(prefixPaths([], here)).toEqual([BROKER])
  expect(prefixPaths(['@broker', 'endpoints'], here)).toEqual([BROKER])
})

test('a directory that is not there is kept, for the start to name it', () => {
  const here = writeTree({})
  expect(prefixPaths(['missing'], here)).toEqual([join(here, 'missing')])
  mkdirSync(join(here, 'missing'))
  expect(prefixPaths(['missing'], here)).toEqual([join(here, 'missing')])
})
