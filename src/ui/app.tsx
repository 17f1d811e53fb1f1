/** Shows the screens, or the sign-in without a session. The code of the screens loads on demand. */
import { useEffect } from 'preact/hooks'
import { lazy } from './parts/lazy.tsx'
import { SignIn } from './screens/sign-in.tsx'
import { isAskingTabs, isFormTouched, session } from './state/tab-session.ts'

const loadScreens = async () => (await import('./screens.tsx')).Screens
const Screens = lazy(loadScreens)

export function App() {
  const isWanted = session.value !== null || isFormTouched.value
  useEffect(() => {
    // Without this, the screens would load after the answer to the sign-in. A failure shows when they are rendered.
    if (isWanted) loadScreens().catch(() => {})
  }, [isWanted])
  if (session.value) return <Screens />
  return isAskingTabs.value ? null : <SignIn />
}
