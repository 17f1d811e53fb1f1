/** The admin page starts here. It talks to its server through `waybill/client` only. */
import '@picocss/pico/css/pico.classless.min.css'
import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import './style/table.css'
import './style/shell.css'
import './style/sign-in.css'
import './style/overview.css'
import './style/send.css'
import './style/message.css'
import './style/system.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { startLive } from './state/live.ts'

startLive()
render(<App />, document.getElementById('page') as HTMLElement)
