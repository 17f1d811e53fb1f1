/** Which screen is shown: by the path in the hash, and the sign-in where nobody is signed in. */
import { Route, Router, Switch } from 'wouter-preact'
import { Shell } from './parts/shell.tsx'
import { DeviceScreen } from './screens/device.tsx'
import { Devices } from './screens/devices.tsx'
import { MessageScreen } from './screens/message.tsx'
import { Messages } from './screens/messages.tsx'
import { NotFound } from './screens/not-found.tsx'
import { OverviewScreen } from './screens/overview.tsx'
import { Send, SendFromAnywhere } from './screens/send.tsx'
import { SignIn } from './screens/sign-in.tsx'
import { decoded, go, linkTo, path } from './state/location.ts'
import { session } from './state/session.ts'

const useHashPath = () => [path.value, (to: string) => go(linkTo(to))] as [string, (to: string) => void]

export function App() {
  if (!session.value) return <SignIn />
  return (
    <Router hook={useHashPath}>
      <Shell>
        <Switch>
          <Route path="/" component={OverviewScreen} />
          <Route path="/devices" component={Devices} />
          <Route path="/devices/:id">{({ id }) => <DeviceScreen key={id} id={decoded(id)} />}</Route>
          <Route path="/messages" component={Messages} />
          <Route path="/messages/:id">{({ id }) => <MessageScreen id={Number(id)} />}</Route>
          <Route path="/send" component={Send} />
          <Route>
            <NotFound />
          </Route>
        </Switch>
        <SendFromAnywhere />
      </Shell>
    </Router>
  )
}
