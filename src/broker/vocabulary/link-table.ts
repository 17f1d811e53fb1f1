/**
 * Describes the links between messages once. A new message names an earlier message, in the transaction that stores the
 * new message. The statements of the stores, the extras of a message and the answers with details derive from this
 * table. docs: CONTRIBUTING.md, "Adding a link between messages".
 */

interface Link {
  /** Name of the link as the earlier message shows it, with the id of the newest message that names it. */
  readonly reverse: string
  /** Table with the columns `message_id`, the earlier message, and `new_message_id`. */
  readonly table: string
}

export const LINKS = {
  /** Message whose command this message sends again. Null after that message is purged. */
  resentFrom: { reverse: 'resentAs', table: 'resends' },
} as const satisfies Record<string, Link>

export type LinkName = keyof typeof LINKS

/** Ids of the earlier messages that a new message names. */
export type NewLinks = { readonly [Name in LinkName]?: number }

/** Links of a stored message, in both directions. Null without the link. */
export type MessageLinks = {
  readonly [Name in LinkName | (typeof LINKS)[LinkName]['reverse']]: number | null
}

interface NamedLink extends Link {
  readonly name: LinkName
  readonly reverse: (typeof LINKS)[LinkName]['reverse']
}

export const LINK_LIST = Object.entries(LINKS).map(
  ([name, link]): NamedLink => ({ name: name as LinkName, ...link }),
)

/** Names of the links of a stored message: of each link its name, then its reverse. */
export const SHOWN_LINKS = LINK_LIST.flatMap(({ name, reverse }) => [name, reverse])

/** Links of a message that has none. */
export const NO_LINKS: MessageLinks = linksFrom(() => null)

/** Returns links with the ids that a function reads. */
export function linksFrom(read: (name: keyof MessageLinks) => number | null): MessageLinks {
  return Object.fromEntries(SHOWN_LINKS.map((name) => [name, read(name)])) as MessageLinks
}

/** Returns the links among the members of an object. */
export function linksOf(members: MessageLinks): MessageLinks {
  return linksFrom((name) => members[name])
}
