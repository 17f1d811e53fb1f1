/** Shows the id and the new password of a client, to be copied. */
import { useTexts } from '../texts/texts.ts'
import { CopyButton } from './copy-button.tsx'

export function Credentials({ id, password }: { id: string; password: string }) {
  const t = useTexts('devices')
  return (
    <dl class="secret">
      <dt>{t.idLabel}</dt>
      <dd class="id">{id}</dd>
      <dt>{t.password}</dt>
      <dd>
        <span class="id">{password}</span> <CopyButton text={password} />
      </dd>
    </dl>
  )
}
