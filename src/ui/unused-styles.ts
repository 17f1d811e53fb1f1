/** Removes CSS rules of Pico and uPlot that match nothing on the page. This is half of Pico, compressed. */
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const FILE = /(?:pico\.classless|uPlot)\.min\.css$/
/** Elements and attributes of Pico that the page does not use. */
const UNUSED =
  /^h[456r]|\[role=button\]|progress|\[type=(?:color|range|reset|month|week|datetime-local)\]|tooltip|hgroup|\[role=(?:switch|group|search|link)\]|blockquote|\bins\b|\bdel\b|\bmark\b|samp|video|audio|body>|:host|\[dir=rtl\]|breadcrumb|iframe|\bsu[bp]\b|address|abbr|optgroup|aside|striped|tfoot|\[rel=prev\]|dialog>article|\[aria-invalid=false\]|\[multiple\]|summary\[role|:-ms-|::-ms-|::-moz-(?:list|focus|selection)|:-moz-ui|@-moz-document|\btemplate\b|\.u-(?:legend|inline|series|title|cursor-pt|vt)/
/** Properties that no remaining rule uses. */
const UNUSED_PROPERTY =
  /(?<=[{;])--pico-(?:accordion-border|h[456]|secondary(?:-hover)?(?=:)|blockquote|group-box|loading-spinner-opacity|mark|range|scrollbar|switch|tooltip|progress|form-element-(?:valid|selected)|contrast|secondary(?:-hover)?-underline|icon-(?:close|valid)|ins-color|nav-breadcrumb|table-row-stripped)[\w-]*:[^;}]*;?/g
const TOKENS = readFileSync(new URL('style/tokens.css', import.meta.url), 'utf8')
/** Rules before `tokens.css`, each with a pattern for the properties that `tokens.css` overrides. */
const SET_AGAIN = [
  [/^(?:@charset "UTF-8";)?(?:\/\*.*\*\/)?(?::host,)?:root$/s, propertiesOf('\n:root {')],
  [/\[data-theme=(?:light|dark)\]$/, propertiesOf('\n[data-theme="dark"] {')],
] as const
/** Rules for pages without `data-theme`, which the page always sets. */
const UNNAMED_THEME = /^@media only screen and \(prefers-color-scheme:dark\)/

export function withoutUnusedStyles(): Plugin {
  return {
    name: 'without-unused-styles',
    enforce: 'pre',
    transform(code, id) {
      return FILE.test(id) ? { code: used(code).replace(UNUSED_PROPERTY, ''), map: null } : null
    },
  }
}

/** Returns the used rules of a style sheet, each with its used selectors only. */
function used(css: string): string {
  return topLevelRules(css)
    .map((rule) => {
      const start = rule.indexOf('{')
      const head = rule.slice(0, start)
      if (UNNAMED_THEME.test(head) || head.startsWith('@-moz-document')) return ''
      if (/^@(?:media|supports)/.test(head)) {
        const body = used(rule.slice(start + 1, -1))
        return body && `${head}{${body}}`
      }
      const selectors = head.split(/,(?![^(]*\))/).filter(isUsed)
      const again = SET_AGAIN.find(([rules]) => rules.test(head))?.[1]
      const body = again ? rule.slice(start).replace(again, '') : rule.slice(start)
      return selectors.length > 0 && body !== '{}' ? selectors.join(',') + body : ''
    })
    .join('')
}

/** Returns a pattern for the properties of Pico that a rule of `tokens.css` sets. */
function propertiesOf(head: string): RegExp {
  const body = TOKENS.split(head)[1]?.split('}')[0] ?? ''
  return new RegExp(`(?<=[{;])(?:${body.match(/--pico[\w-]+/g)?.join('|')}):[^;}]*;?`, 'g')
}

/** Returns whether a selector matches anything except unused elements. Ignores the argument of `:not()`. */
function isUsed(selector: string): boolean {
  return !UNUSED.test(selector.replace(/:(?:not|is|where)\([^()]*(?:\([^()]*\)[^()]*)*\)/g, ''))
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
