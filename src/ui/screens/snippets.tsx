/** Shows how to connect a device, in four languages, ready to copy. */
import { useState } from 'preact/hooks'
import { CopyButton } from '../parts/copy-button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { useResource } from '../state/resource.ts'
import { loadServerAddresses } from '../state/server-addresses.ts'
import {
  isTopicLevel,
  type ServerAddresses,
  SNIPPETS,
  type SnippetName,
  withPassword,
} from '../state/snippets.ts'
import { useTexts } from '../texts/texts.ts'

const NAMES = Object.keys(SNIPPETS) as SnippetName[]

export function Snippets({ id }: { id: string }) {
  const t = useTexts('device')
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">{t.connect}</h2>
      <p class="muted">{t.connectHint}</p>
      <Snippet id={id} />
    </section>
  )
}

interface SnippetProps {
  readonly id: string
  /** Password of the device, if it was just created. */
  readonly password?: string | null
}

/** Shows one example at a time. */
export function Snippet(props: SnippetProps) {
  const addresses = useResource('addresses', loadServerAddresses)
  return <Loaded from={addresses}>{(value) => <ChosenSnippet {...props} addresses={value} />}</Loaded>
}

function ChosenSnippet({ id, password = null, addresses }: SnippetProps & { addresses: ServerAddresses }) {
  const t = useTexts('device')
  const [name, setName] = useState<SnippetName>('curl')
  const example = name === 'curl' || isTopicLevel(id) ? SNIPPETS[name](id, addresses) : null
  const text = example && withPassword(example, password)
  return (
    <div class="card snippet">
      <div class="actions">
        <fieldset class="tabs">
          <legend class="visually-hidden">{t.snippets}</legend>
          {NAMES.map((each) => (
            <label key={each}>
              <input type="radio" name="snippet" checked={each === name} onChange={() => setName(each)} />
              {each}
            </label>
          ))}
        </fieldset>
        {text !== null && <CopyButton text={text} />}
      </div>
      {text === null ? (
        <p class="notice wait">{addresses.mqtt === null ? t.noMqtt : t.noTopic}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      )}
    </div>
  )
}
