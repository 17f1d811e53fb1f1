/** The ten changes by which the structure of the project is measured. A change of a message has four forms. */
import type { Drill } from './_support/drill.ts'
import { DEVICE_SETTING } from './device-setting.ts'
import { LANGUAGE } from './language.ts'
import { MESSAGE_FIELD } from './message-field.ts'
import { MESSAGE_LINK } from './message-link.ts'
import { MESSAGE_TERM } from './message-term.ts'
import { METRIC } from './metric.ts'
import { OWN_ENDPOINT } from './own-endpoint.ts'
import { REPORT_TEXT } from './report-text.ts'
import { SCREEN } from './screen.ts'
import { SETTING } from './setting.ts'
import { STATUS } from './status.ts'
import { STORAGE_DRIVER } from './storage-driver.ts'
import { TRANSPORT } from './transport.ts'

export const DRILLS: readonly Drill[] = [
  STATUS,
  MESSAGE_FIELD,
  MESSAGE_TERM,
  MESSAGE_LINK,
  REPORT_TEXT,
  DEVICE_SETTING,
  STORAGE_DRIVER,
  TRANSPORT,
  METRIC,
  SETTING,
  SCREEN,
  LANGUAGE,
  OWN_ENDPOINT,
]
