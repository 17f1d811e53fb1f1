/** The folders and files of the product import each other in one direction. */
import { expect, test } from 'vitest'
import { circlesOf, folderGraph, importGraph, roomGraph } from '../_support/import-graph.ts'

const atRunTime = importGraph('run time')
const withTypes = importGraph('types too')

/** Maximum files that need each other for their types. */
const MAX_CIRCLE = 5

test('files that import each other at run time → none', () => {
  expect(circlesOf(atRunTime)).toEqual([])
})

test('folders that import each other at run time → none', () => {
  expect(circlesOf(folderGraph(atRunTime))).toEqual([])
})

test.each(['src/broker/', 'src/store/sqlite/', 'src/store/postgres/'])(
  'rooms of %s that import each other at run time → none',
  (place) => {
    const inside = new Map([...atRunTime].filter(([file]) => file.startsWith(place)))
    expect(circlesOf(roomGraph(inside))).toEqual([])
  },
)

test('files that need each other for their types → at most five', () => {
  expect(circlesOf(withTypes).filter(({ length }) => length > MAX_CIRCLE)).toEqual([])
})

test('files of the framework that need each other for their types → none', () => {
  const circles = circlesOf(withTypes).filter((circle) => circle.some((file) => file.startsWith('src/web/')))
  expect(circles).toEqual([])
})
