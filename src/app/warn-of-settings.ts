/** Logs what is likely a mistake in the settings, once a start. */
import type { Settings } from '../config/settings.ts'
import type { Log } from '../web/app.ts'

export function warnOfSettings({ unknownVariables }: Settings, log: Log): void {
  for (const { name, nearest } of unknownVariables) {
    const cure =
      nearest === null
        ? '"waybill --help" lists all settings'
        : `did you mean ${nearest}? Otherwise remove it`
    log.warn({ name, nearest }, `${name} is not a variable of waybill, so it has no effect: ${cure}`)
  }
}
