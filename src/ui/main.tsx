/** Starts the admin page. The page reaches its server through `waybill/client` only. */
import '@picocss/pico/css/pico.classless.min.css'
import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import './style/preferences.css'
import './style/sign-in.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { firstLocale } from './state/preferences.ts'
import { shareSession } from './state/tab-session.ts'
import { showLanguage } from './texts/texts.ts'

void shareSession()
// If the texts of a language cannot be loaded, the page is shown in English.
showLanguage(firstLocale())
  .catch(() => showLanguage('en'))
  .finally(() => render(<App />, document.getElementById('page') as HTMLElement))
