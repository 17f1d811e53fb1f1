/**
 * Removes unused parts of the icons from the build: keys, names, and options that the page never sets. A path keeps
 * only its text.
 */
import type { Plugin } from 'vite'

const ICON = /lucide-preact\/dist\/esm\/icons\/[^/]+\.mjs$/
const MAKER = /lucide-preact\/dist\/esm\/createLucideIcon\.mjs$/
/** Keys distinguish the parts of an icon when they are reordered, which never happens. */
const UNUSED = /,\s*key: "\w+"|^\s*(?:name: "[\w-]+"|size: 24),$|^__iconData\.node;$/gm
const PATH = /\[\s*"path",\s*\{\s*d: ("[^"]*")\s*\}\s*\]/g

/** Creates an icon from its shapes. It accepts a size and attributes, like the function of lucide. */
const MAKE = `import { h } from 'preact'
export default ({ node }) => ({ size = 24, ...rest }) =>
  h('svg', { viewBox: '0 0 24 24', width: size, height: size, fill: 'none', stroke: 'currentColor',
    'stroke-width': 2, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', 'aria-hidden': 'true', ...rest },
    node.map((each) => (typeof each === 'string' ? h('path', { d: each }) : h(...each))))`

export function withLighterIcons(): Plugin {
  return {
    name: 'with-lighter-icons',
    enforce: 'pre',
    transform(code, id) {
      if (MAKER.test(id)) return { code: MAKE, map: null }
      return ICON.test(id) ? { code: code.replace(UNUSED, '').replace(PATH, '$1'), map: null } : null
    },
  }
}
