/** Signs the user in, and says where to find the first password. */
import { KeyRound } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { useProblemText } from '../parts/loaded.tsx'
import { Logo } from '../parts/logo.tsx'
import { Preferences } from '../parts/preferences.tsx'
import { hasExpired, signIn } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'

export function SignIn() {
  const t = useTexts('signIn')
  const textOf = useProblemText()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  useEffect(() => {
    document.title = `${t.title} · Waybill`
  }, [t.title])

  async function enter(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    setProblem(null)
    try {
      const isAllowed = await signIn(String(form.get('id')), String(form.get('password')))
      if (!isAllowed) setProblem(t.isDevice)
    } catch (error) {
      const status = error instanceof RequestError ? error.status : 0
      setProblem(status === 401 ? t.wrong : status === 429 ? t.tooMany : textOf(error))
    }
    setBusy(false)
  }

  return (
    <main class="sign-in">
      <div class="card">
        <header>
          <Logo />
          <p class="muted">{t.lead}</p>
        </header>
        <h1>{t.title}</h1>
        {hasExpired.value && <p class="notice wait">{t.expired}</p>}
        <form onSubmit={enter}>
          <label>
            {t.deviceId}
            <input name="id" autocomplete="username" autocapitalize="none" required />
          </label>
          <label>
            {t.password}
            <input name="password" type="password" autocomplete="current-password" required />
          </label>
          <p role="alert" class="problem">
            {problem}
          </p>
          <button type="submit" aria-busy={isBusy} disabled={isBusy}>
            {t.enter}
          </button>
        </form>
        <details>
          <summary>
            <KeyRound size={15} aria-hidden="true" /> {t.hintTitle}
          </summary>
          <p>{t.hint}</p>
        </details>
      </div>
      <Preferences />
    </main>
  )
}
