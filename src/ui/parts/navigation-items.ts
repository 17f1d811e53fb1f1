/** Lists the screens that the navigation and the palette show. */
import {
  Cable,
  ClipboardList,
  FileStack,
  Gauge,
  type LucideIcon,
  Mail,
  Radio,
  Server,
  Siren,
  SquareCode,
  Users,
} from 'lucide-preact'

type Screen =
  | 'overview'
  | 'incidents'
  | 'handover'
  | 'devices'
  | 'messages'
  | 'templates'
  | 'connections'
  | 'access'
  | 'system'
  | 'api'
export type ScreenItem = readonly [name: Screen, icon: LucideIcon]

export const OPERATE: readonly ScreenItem[] = [
  ['overview', Gauge],
  ['incidents', Siren],
  ['handover', ClipboardList],
  ['devices', Radio],
  ['messages', Mail],
  ['templates', FileStack],
  ['connections', Cable],
]
export const ADMINISTER: readonly ScreenItem[] = [
  ['access', Users],
  ['system', Server],
  ['api', SquareCode],
]

/** Screens in the bar at the bottom of a phone. */
export const BAR: readonly ScreenItem[] = OPERATE.filter(
  ([name]) => name !== 'incidents' && name !== 'handover',
).slice(0, 3)

/** Names of all screens, in the order of their links. */
export const SCREEN_NAMES: readonly Screen[] = [...OPERATE, ...ADMINISTER].map(([name]) => name)

/** Path of each screen, without its tabs. */
const ROOTS: Readonly<Record<Screen, string>> = {
  overview: '/',
  incidents: '/incidents',
  handover: '/handover',
  devices: '/devices',
  messages: '/messages',
  templates: '/templates',
  connections: '/connections',
  access: '/access',
  system: '/system',
  api: '/api',
}

/** Returns whether a path belongs to a screen. */
export const isWithin = (name: Screen, place: string): boolean =>
  place === ROOTS[name] || (name !== 'overview' && place.startsWith(`${ROOTS[name]}/`))
