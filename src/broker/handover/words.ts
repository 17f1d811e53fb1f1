/** Words of the hand-over as a text, in the languages of the admin page. A name in braces is replaced. */
import type { DEVICE_ITEMS, FIGURES, PEOPLE_ITEMS, SERVER_ITEMS, SERVICE_ITEMS } from './parts.ts'

type Texts<Kinds extends readonly string[]> = Readonly<Record<Kinds[number], string>>

export interface HandoverWords {
  readonly title: string
  readonly nothing: string
  readonly more: string
  readonly parts: Readonly<
    Record<'incidents' | 'failures' | 'devices' | 'service' | 'people' | 'server' | 'figures', string>
  >
  /** Words for numbers by kind: "ended: 3". */
  readonly counts: Readonly<Record<string, string>>
  readonly incident: string
  readonly states: Readonly<Record<'OPEN' | 'ACKNOWLEDGED' | 'MUTED' | 'ENDED', string>>
  readonly by: string
  readonly failure: string
  readonly resent: string
  readonly devices: Texts<typeof DEVICE_ITEMS>
  readonly service: Texts<typeof SERVICE_ITEMS>
  readonly until: string
  readonly people: Texts<typeof PEOPLE_ITEMS>
  readonly server: Texts<typeof SERVER_ITEMS>
  readonly figures: Texts<typeof FIGURES>
  readonly figure: string
}

const en: HandoverWords = {
  title: 'Hand-over: {from} to {to} ({zone})',
  nothing: 'nothing',
  more: 'and {count} more',
  parts: {
    incidents: 'Incidents',
    failures: 'Failed commands',
    devices: 'Devices',
    service: 'Out of service',
    people: 'People',
    server: 'Server',
    figures: 'Figures',
  },
  counts: {
    STARTED: 'started',
    ENDED: 'ended',
    OPEN: 'open',
    MUTE_ENDS: 'mute ends soon',
    FAILED: 'failed',
    PARKED: 'parked',
    NOT_FINISHED: 'not finished',
    SILENT: 'silent',
    FLAPPING: 'connect too often',
    REFUSED: 'refused',
    RETURNED: 'returned',
    FIRST_SEEN: 'first seen',
    BEGAN: 'began',
    ENDS_SOON: 'end within a day',
    LASTS_LONG: 'longer than 7 days',
    NOTE: 'notes',
    CHANGED: 'kinds of changes',
    SIGNED_IN: 'signed in',
  },
  incident: '{key}: {state}, since {since}, devices {devices}, messages {messages}, waiting {waiting}',
  states: {
    OPEN: 'open',
    ACKNOWLEDGED: 'acknowledged',
    MUTED: 'muted until {until}',
    ENDED: 'ended {ended}',
  },
  by: 'by {by}',
  failure: '{command} {kind}: {count}, devices {devices}, before {before}',
  resent: 'sent again {resent}',
  devices: {
    SILENT: '{device}: silent since {date}',
    FLAPPING: '{device}: connected {count} times, last {date}',
    REFUSED: '{device}: {count} logins refused, last {date}',
    RETURNED: '{device}: returned {date}, silent since {since}',
    FIRST_SEEN: '{device}: first seen {date}',
  },
  service: {
    BEGAN: '{device}: since {date}',
    ENDED: '{device}: ended {date}',
    ENDS_SOON: '{device}: since {date}',
    LASTS_LONG: '{device}: still since {date}',
    NOTE: '{device}: note {date}',
  },
  until: 'until {until}',
  people: { CHANGED: '{by}: {action} {count}, last {date}', SIGNED_IN: '{by}: signed in {date}' },
  server: {
    STORAGE_FAILED: '{date} storage failed',
    DISK_NEARLY_FULL: '{date} disk nearly full',
    CLOCK_BEHIND: '{date} clock behind',
    STARTED: '{date} started, release {release}',
    STOPPED: '{date} stopped',
    LOST: '{date} lost',
    WITHOUT_SERVER: '{date} no server ran',
    RELEASE: '{date} release {release}, before {before}',
  },
  figures: {
    STORED: 'stored',
    COMPLETED: 'completed',
    FAILED: 'failed',
    MEDIAN_DELIVERY_MS: 'median delivery in ms',
  },
  figure: '{name}: {value}, before {before}',
}

const ru: HandoverWords = {
  title: 'Сдача смены: с {from} по {to} ({zone})',
  nothing: 'ничего',
  more: 'и ещё {count}',
  parts: {
    incidents: 'Инциденты',
    failures: 'Неудачные команды',
    devices: 'Устройства',
    service: 'Выведены из работы',
    people: 'Люди',
    server: 'Сервер',
    figures: 'Показатели',
  },
  counts: {
    STARTED: 'начались',
    ENDED: 'завершились',
    OPEN: 'открыты',
    MUTE_ENDS: 'скоро снова заметны',
    FAILED: 'с ошибкой',
    PARKED: 'приостановлены',
    NOT_FINISHED: 'не завершены',
    SILENT: 'не видно',
    FLAPPING: 'подключаются слишком часто',
    REFUSED: 'отказы',
    RETURNED: 'вернулись',
    FIRST_SEEN: 'новые',
    BEGAN: 'начались',
    ENDS_SOON: 'закончатся за сутки',
    LASTS_LONG: 'дольше 7 дней',
    NOTE: 'заметки',
    CHANGED: 'виды изменений',
    SIGNED_IN: 'входы',
  },
  incident: '{key}: {state}, с {since}, устройств {devices}, сообщений {messages}, ждёт {waiting}',
  states: {
    OPEN: 'открыт',
    ACKNOWLEDGED: 'принят',
    MUTED: 'скрыт до {until}',
    ENDED: 'завершён {ended}',
  },
  by: '{by}',
  failure: '{command}, {kind}: {count}, устройств {devices}, до этого {before}',
  resent: 'отправлено снова {resent}',
  devices: {
    SILENT: '{device}: не видно с {date}',
    FLAPPING: '{device}: подключений {count}, последнее {date}',
    REFUSED: '{device}: отказов во входе {count}, последний {date}',
    RETURNED: '{device}: снова на связи с {date}, не было видно с {since}',
    FIRST_SEEN: '{device}: впервые {date}',
  },
  service: {
    BEGAN: '{device}: с {date}',
    ENDED: '{device}: снова в работе с {date}',
    ENDS_SOON: '{device}: с {date}',
    LASTS_LONG: '{device}: всё ещё, с {date}',
    NOTE: '{device}: заметка {date}',
  },
  until: 'до {until}',
  people: { CHANGED: '{by}: {action} {count}, последнее {date}', SIGNED_IN: '{by}: вход {date}' },
  server: {
    STORAGE_FAILED: '{date} сбой хранилища',
    DISK_NEARLY_FULL: '{date} диск почти заполнен',
    CLOCK_BEHIND: '{date} часы отстают',
    STARTED: '{date} запущен, версия {release}',
    STOPPED: '{date} остановлен',
    LOST: '{date} потерян',
    WITHOUT_SERVER: '{date} без сервера',
    RELEASE: '{date} версия {release}, до этого {before}',
  },
  figures: {
    STORED: 'сохранено',
    COMPLETED: 'выполнено',
    FAILED: 'с ошибкой',
    MEDIAN_DELIVERY_MS: 'медиана доставки в мс',
  },
  figure: '{name}: {value}, до этого {before}',
}

const WORDS = new Map([
  ['en', en],
  ['ru', ru],
])

/** Returns the words of a language, in English where it has none. */
export function wordsOf(language: string): HandoverWords {
  return WORDS.get(language) ?? en
}
