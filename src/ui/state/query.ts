/** Parameters of an address of the page. */
export type Query = Readonly<Record<string, string>>
