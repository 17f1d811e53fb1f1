/** Runs tests in a copy of the project, without the programs that the system tier needs. */
import { defineConfig } from 'vitest/config'
import config from '../../../vitest.config.ts'

const unit = config.test?.projects?.find(
  (each) => typeof each === 'object' && 'test' in each && each.test?.name === 'unit',
)
if (typeof unit !== 'object' || !('test' in unit)) throw new Error('vitest.config.ts has no project "unit"')

export default defineConfig({ ...unit, test: { ...unit.test, include: ['test/{unit,system}/*.test.ts'] } })
