/** Shows the sign-in. Afterwards the user is at the place in the address. */
import { KeyRound } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { RequestError } from '../../client/index.ts'
import { Logo } from '../parts/logo.tsx'
import { Preferences } from '../parts/preferences.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { hasExpired, isFormTouched, signIn } from '../state/tab-session.ts'
import { useTexts } from '../texts/texts.ts'

export function SignIn() {
  const t = useTexts('signIn')
  const textOf = useProblemText()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [isShown, setShown] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => {
    document.title = `${t.title} · Waybill`
  }, [t.title])
  useEffect(() => first.current?.focus(), [])

  async function enter(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    setProblem(null)
    try {
      const isAllowed = await signIn(String(form.get('id')), String(form.get('password')))
      if (!isAllowed) setProblem(t.isDevice)
    } catch (error) {
      setProblem(error instanceof RequestError && error.status === 401 ? t.wrong : textOf(error))
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
        <form
          onSubmit={enter}
          onInput={() => {
            isFormTouched.value = true
          }}
        >
          <p role="alert" class="problem">
            {problem}
          </p>
          <label>
            {t.deviceId}
            <input ref={first} name="id" autocomplete="username" autocapitalize="none" required />
          </label>
          <div class="field">
            <label for="password">{t.password}</label>
            <span class="joined">
              <input
                id="password"
                name="password"
                type={isShown ? 'text' : 'password'}
                autocomplete="current-password"
                autocapitalize="none"
                spellcheck={false}
                required
              />
              <button type="button" class="quiet" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
                {isShown ? t.hide : t.show}
              </button>
            </span>
          </div>
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
