/** Shows the preset filters of the list of messages with their counts, and counts the matching messages. */
import { type Preset, Presets } from '../parts/presets.tsx'
import type { Matching } from '../parts/selection-bar.tsx'
import { useEachTick } from '../state/clock.ts'
import type { MessageConditions } from '../state/continued-search.ts'
import { messageChange } from '../state/live.ts'
import { messageConditions, PRESETS } from '../state/message-filters.ts'
import { countMessages } from '../state/message-search.ts'
import { useResource } from '../state/resource.ts'
import { useTexts } from '../texts/texts.ts'

type PresetName = keyof typeof PRESETS
const NAMES = Object.keys(PRESETS) as PresetName[]

export function MessagePresets() {
  const t = useTexts('messages')
  const counts = useResource('message-presets', loadCounts)
  useEachTick(counts.reload)
  const presets = NAMES.map((name): Preset => {
    return { label: t[name], query: PRESETS[name], ...counts.value?.[name] }
  })
  return <Presets list="messages" presets={presets} />
}

async function loadCounts(): Promise<Record<PresetName, Matching>> {
  const count = async (name: PresetName) =>
    [name, await countMessages(messageConditions(PRESETS[name], Date.now()))] as const
  return Object.fromEntries(await Promise.all(NAMES.map(count))) as Record<PresetName, Matching>
}

/** Returns the number of messages that match the filters; undefined until it is known. */
export function useMatching(filters: MessageConditions): Matching | undefined {
  const counted = useResource(
    `message-count/${JSON.stringify(filters)}`,
    () => countMessages(filters),
    (event) => messageChange(event) !== null,
  )
  return counted.value
}
