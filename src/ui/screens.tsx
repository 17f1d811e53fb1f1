/** Shows the screen at the path in the URL's hash, in the common frame. */
import './style/table.css'
import './style/bulk.css'
import './style/overlay.css'
import './style/filters.css'
import './style/rows.css'
import './style/menu.css'
import './style/device.css'
import './style/messages.css'
import './style/shell.css'
import './style/navigation.css'
import './style/charts.css'
import './style/overview.css'
import './style/send.css'
import './style/message.css'
import './style/system.css'
import './style/access.css'
import './style/attention.css'

import { useEffect } from 'preact/hooks'
import { Route, Router, Switch } from 'wouter-preact'
import { AdminOnly } from './parts/admin-only.tsx'
import { lazyPart } from './parts/lazy.tsx'
import { Placeholder } from './parts/loaded.tsx'
import { Shell } from './parts/shell.tsx'
import { Access } from './screens/access.tsx'
import { Api } from './screens/api.tsx'
import { Connections } from './screens/connections.tsx'
import { DeviceScreen } from './screens/device.tsx'
import { Devices } from './screens/devices.tsx'
import { MessageScreen } from './screens/message.tsx'
import { Messages } from './screens/messages.tsx'
import { NotFound } from './screens/not-found.tsx'
import { OverviewScreen } from './screens/overview.tsx'
import { Send, SendFromAnywhere } from './screens/send.tsx'
import { Templates } from './screens/templates.tsx'
import { startAlertCount } from './state/alert-count.ts'
import { startLive } from './state/live.ts'
import { decodeSegment, linkTo, navigate, path, query } from './state/location.ts'
import { mayChange } from './state/session.ts'

const SystemScreen = lazyPart(
  'system',
  async () => (await import('./screens/system.tsx')).SystemScreen,
  () => <Placeholder />,
)
const Incidents = lazyPart(
  'incidents',
  async () => (await import('./screens/incidents.tsx')).Incidents,
  () => <Placeholder />,
)

const HandoverScreen = lazyPart(
  'handover',
  async () => (await import('./screens/handover.tsx')).HandoverScreen,
  () => <Placeholder />,
)

startLive()
startAlertCount()

const useHashPath = () => [path.value, (to: string) => navigate(linkTo(to))] as [string, (to: string) => void]

/** Redirects from an address of an earlier release. */
function ToAccess() {
  useEffect(() => navigate(linkTo('/access/devices', query.peek()), { replace: true }), [])
  return null
}

export function Screens() {
  return (
    <Router hook={useHashPath}>
      <Shell>
        {/* Before the screen, whose own keys go first: those of what appeared last. */}
        <AdminOnly>
          <SendFromAnywhere />
        </AdminOnly>
        <Switch>
          <Route path="/" component={OverviewScreen} />
          <Route path="/devices" component={Devices} />
          <Route path="/devices/:id">{({ id }) => <DeviceScreen key={id} id={decodeSegment(id)} />}</Route>
          <Route path="/messages" component={Messages} />
          <Route path="/messages/:id">{({ id }) => <MessageScreen key={id} id={Number(id)} />}</Route>
          {mayChange.value && <Route path="/send" component={Send} />}
          <Route path="/templates" component={Templates} />
          <Route path="/access/:tab?" component={Access} />
          <Route path="/clients" component={ToAccess} />
          <Route path="/connections/:tab?" component={Connections} />
          <Route path="/incidents/:place?">{({ place = '' }) => <Incidents place={place} />}</Route>
          <Route path="/handover">
            <HandoverScreen />
          </Route>
          <Route path="/api" component={Api} />
          <Route path="/system/:tab?">
            <SystemScreen />
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Shell>
    </Router>
  )
}
