/** Leaves out of the build what pico styles and the page never shows. This is a third of pico, compressed. */
import type { Plugin } from 'vite'

const FILE = /pico\.classless\.min\.css$/
/** Elements and attributes of pico that the page does not use. */
const UNUSED =
  /progress|\[type=(?:color|range)\]|data-tooltip|hgroup|\[role=(?:switch|group|search)\]|blockquote|\bins\b|\bdel\b|\bmark\b|samp|video|audio|canvas/
/** The page always names its theme in `data-theme`, so the rules for pages that do not are never applied. */
const UNNAMED_THEME = /^@media only screen and \(prefers-color-scheme:dark\)/

export function withoutUnusedStyles(): Plugin {
  return {
    name: 'without-unused-styles',
    enforce: 'pre',
    transform(code, id) {
      if (!FILE.test(id)) return null
      const used = topLevelRules(code).filter((rule) => !UNNAMED_THEME.test(rule) && isUsed(rule))
      return { code: used.join(''), map: null }
    },
  }
}

/** Tells whether a rule applies to anything beside the unused elements. What `:not()` leaves out does not count. */
function isUsed(rule: string): boolean {
  const selectors = rule.slice(0, rule.indexOf('{')).replace(/:not\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '')
  return selectors.split(/,(?![^(]*\))/).some((selector) => !UNUSED.test(selector))
}

/** Splits a style sheet into its rules. A rule such as `@media` stays whole. */
function topLevelRules(css: string): string[] {
  const rules: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i < css.length; i++) {
    if (css[i] === '{') depth++
    if (css[i] === '}' && --depth === 0) {
      rules.push(css.slice(start, i + 1))
      start = i + 1
    }
  }
  return rules
}
