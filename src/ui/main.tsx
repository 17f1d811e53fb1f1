/** Starts the admin page. The page reaches its server through `waybill/client` only. */
import '@picocss/pico/css/pico.classless.min.css'
import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import './style/table.css'
import './style/bulk.css'
import './style/overlay.css'
import './style/filters.css'
import './style/rows.css'
import './style/menu.css'
import './style/shell.css'
import './style/navigation.css'
import './style/sign-in.css'
import './style/overview.css'
import './style/attention.css'
import './style/send.css'
import './style/message.css'
import './style/system.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { startAlertCount } from './state/alert-count.ts'
import { startLive } from './state/live.ts'
import { firstLocale } from './state/preferences.ts'
import { showLanguage } from './texts/texts.ts'

startLive()
startAlertCount()
// If the texts cannot be loaded, the page is shown in English.
showLanguage(firstLocale()).finally(() => render(<App />, document.getElementById('page') as HTMLElement))
