/** No folder of the product imports itself over others. */
import { expect, test } from 'vitest'
import { circlesOf, folderGraph, importGraph } from '../_support/import-graph.ts'

const atRunTime = importGraph('run time')

test('folders that import each other at run time → none', () => {
  expect(circlesOf(folderGraph(atRunTime))).toEqual([])
})
