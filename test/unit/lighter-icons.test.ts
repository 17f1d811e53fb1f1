/** The icons of the admin page without their keys and names: all shapes stay. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { withLighterIcons } from '../../src/ui/lighter-icons.ts'

const ICONS = join(dirname(fileURLToPath(import.meta.resolve('lucide-preact'))), 'icons')
const transform = withLighterIcons().transform as unknown as (code: string, id: string) => { code: string }

type Shape = [string, { key?: string }]
type Draw = (props: object) => [string, object, unknown[]]

const MAKER = transform('', 'lucide-preact/dist/esm/createLucideIcon.mjs').code
/** The function that the build makes icons with. It draws elements as arrays here. */
const make = new Function('h', MAKER.replace(/^import .*/, '').replace('export default', 'return'))(
  (...element: unknown[]) => element,
) as (icon: { node: unknown[] }) => Draw

function nodeOf(code: string): { node: unknown[] } {
  const source = /const __iconData = (\{.*?\n\});?$/ms.exec(code)?.[1]
  return new Function(`return ${source}`)() as { node: unknown[] }
}

test('icons: without keys and names → the same shapes', () => {
  const names = readdirSync(ICONS).filter((name) => name.endsWith('.mjs'))
  expect(names.length).toBeGreaterThan(1_000)
  for (const name of names) {
    const code = readFileSync(join(ICONS, name), 'utf8')
    if (!code.includes('__iconData')) continue
    const lighter = transform(code, join(ICONS, name)).code
    expect(lighter).not.toContain('key:')
    const shapes = (nodeOf(code).node as Shape[]).map(([shape, { key, ...attributes }]) => [
      shape,
      attributes,
    ])
    expect([name, make(nodeOf(lighter))({})[2]]).toEqual([name, shapes])
  }
})
