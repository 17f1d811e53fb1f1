/** Leads to the API: its docs page, its description and the first steps. */
import { BookOpen, Download } from 'lucide-preact'
import { CopyButton } from '../parts/copy-button.tsx'
import { Heading } from '../parts/heading.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { shellQuote } from '../state/curl.ts'
import { useResource } from '../state/resource.ts'
import { loadServerAddresses } from '../state/server-addresses.ts'
import { session } from '../state/session.ts'
import { useTexts } from '../texts/texts.ts'

export function Api() {
  const shell = useTexts('shell')
  const t = useTexts('api')
  return (
    <>
      <Heading title={shell.api} />
      <p class="lead">{t.lead}</p>
      <div class="cards">
        <div class="card">
          <h2>{t.docs}</h2>
          <p>{t.docsHint}</p>
          <a class="button primary" href="/swagger-ui" target="_blank" rel="noopener">
            <BookOpen size={15} aria-hidden="true" /> {t.openDocs}
          </a>
        </div>
        <div class="card">
          <h2>{t.description}</h2>
          <p>{t.descriptionHint}</p>
          <p class="actions">
            <Description name="openapi.json" from="/v3/api-docs" />
            <Description name="openapi.yaml" from="/v3/api-docs.yaml" />
          </p>
        </div>
        <Addresses />
        <Snippet
          title={t.token}
          hint={t.tokenHint}
          code={shellExample(location.origin, session.value?.deviceId ?? '')}
        />
        <Snippet title={t.javascript} hint={t.javascriptHint} code={scriptExample(location.origin)} />
      </div>
    </>
  )
}

function Description({ name, from }: { name: string; from: string }) {
  return (
    <a class="button quiet" href={from} download={name}>
      <Download size={15} aria-hidden="true" /> {name}
    </a>
  )
}

function Addresses() {
  const t = useTexts('api')
  const addresses = useResource('addresses', loadServerAddresses)
  return (
    <div class="card">
      <h2>{t.address}</h2>
      <Loaded from={addresses} height="6rem">
        {({ url, mqtt }) => (
          <dl class="facts">
            <Address name="REST" url={url} />
            {mqtt && (
              <Address name="MQTT" url={`${mqtt.tls ? 'mqtts' : 'mqtt'}://${mqtt.host}:${mqtt.port}`} />
            )}
            <Address name="MQTT (WebSocket)" url={`${url.replace(/^http/, 'ws')}/mqtt`} />
          </dl>
        )}
      </Loaded>
    </div>
  )
}

function Address({ name, url }: { name: string; url: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="joined">
        <span class="id">{url}</span> <CopyButton text={url} />
      </dd>
    </div>
  )
}

function Snippet({ title, hint, code }: { title: string; hint: string; code: string }) {
  return (
    <div class="card wide snippet">
      <div class="actions">
        <h2>{title}</h2>
        <CopyButton text={code} />
      </div>
      <p>{hint}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre tabIndex={0}>{code}</pre>
    </div>
  )
}

function shellExample(url: string, deviceId: string): string {
  const login = shellQuote(JSON.stringify({ deviseId: deviceId, password: 'PASSWORD' }))
  return `TOKEN=$(curl -s ${url}/auth/login -H 'Content-Type: application/json' \\
  -d ${login} | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')

curl -s ${url}/admin/api/overview -H "Authorization: Bearer $TOKEN"
`
}

function scriptExample(url: string): string {
  return `import { Client } from "waybill/client"

const broker = new Client({
  url: "${url}",
  credentials: { deviceId: "ID", password: "PASSWORD" },
})
const { id } = await broker.send("pump-1", "start", { speed: 1 })
console.log(await broker.waitFor(id))
`
}
