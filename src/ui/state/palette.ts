/** Finds the entries of the palette for a text: screens, actions, devices, a message, templates. */
import { suggestedDevices } from './draft.ts'
import { links } from './location.ts'
import { loadTemplates, type Template } from './templates.ts'

export interface Found {
  readonly kind: 'screen' | 'action' | 'device' | 'message' | 'template'
  readonly label: string
  readonly detail?: string
  readonly link: string
}

const MAX_DEVICES = 6
const MAX_TEMPLATES = 4

/** Returns first the entries whose words begin with the text, then those that contain it. */
export function matching(all: readonly Found[], text: string): readonly Found[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return all
  const rank = ({ label }: Found): number => {
    const at = label.toLowerCase().indexOf(wanted)
    return at <= 0 ? at : label[at - 1] === ' ' ? 1 : 2
  }
  return all.filter((each) => rank(each) >= 0).sort((a, b) => rank(a) - rank(b))
}

/** Returns the message with the number in a text; none for other texts. */
export function messageOf(text: string, label: (values: { id: number }) => string): readonly Found[] {
  const number = /^\s*(?:№|#)?\s*(\d{1,15})\s*$/.exec(text)?.[1]
  if (number === undefined) return []
  const id = Number(number)
  return [{ kind: 'message', label: label({ id }), link: links.message(id) }]
}

/** Reads devices and templates that contain the text. */
export async function readFound(text: string): Promise<readonly Found[]> {
  const wanted = text.trim()
  if (wanted === '') return []
  const [devices, templates] = await Promise.all([suggestedDevices(wanted), loadTemplates()])
  return [
    ...devices
      .slice(0, MAX_DEVICES)
      .map((id): Found => ({ kind: 'device', label: id, link: links.device(id) })),
    ...matching(templates.map(templateFound), wanted).slice(0, MAX_TEMPLATES),
  ]
}

function templateFound({ description, command, deviseId }: Template): Found {
  return {
    kind: 'template',
    label: description || command,
    detail: `${command} → ${deviseId}`,
    link: `${links.templates()}?${new URLSearchParams({ search: description || command })}`,
  }
}
