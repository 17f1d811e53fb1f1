/** Shows how to connect a device, in four languages, ready to copy. */
import { useState } from 'preact/hooks'
import { CopyButton } from '../parts/copy-button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { useResource } from '../state/resource.ts'
import { loadServerAddresses } from '../state/server-addresses.ts'
import { isTopicLevel, type ServerAddresses, SNIPPETS, type SnippetName } from '../state/snippets.ts'
import { useTexts } from '../texts/texts.ts'

const NAMES = Object.keys(SNIPPETS) as SnippetName[]

export function Snippets({ id }: { id: string }) {
  const t = useTexts('device')
  const addresses = useResource('addresses', loadServerAddresses)
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">{t.connect}</h2>
      <p class="muted">{t.connectHint}</p>
      <Loaded from={addresses}>{(value) => <Snippet id={id} addresses={value} />}</Loaded>
    </section>
  )
}

function Snippet({ id, addresses }: { id: string; addresses: ServerAddresses }) {
  const t = useTexts('device')
  const [name, setName] = useState<SnippetName>('curl')
  const text = name === 'curl' || isTopicLevel(id) ? SNIPPETS[name](id, addresses) : null
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
