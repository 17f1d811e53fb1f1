/** Defines the content of a language file: the sections, keys and placeholders of the English file. */

/**
 * One text per plural form of the language, named as in `Intl.PluralRules`. `other` serves the forms that are absent.
 */
export type Forms = { readonly [form in Intl.LDMLPluralRule]?: string } & { readonly other: string }

/** A text may have `{names}`, which values replace. A text that depends on a number has forms, with `{count}`. */
export type Text = string | Forms

export type Texts = Readonly<Record<string, Readonly<Record<string, Text>>>>

/** Lists the placeholders of a text. `{ … }` is not a placeholder, because it contains spaces. */
type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string} ${string}` ? never : Name) | Names<Rest>
  : never

/** Requires a text to have each of the placeholders. */
type Holding<Name extends string> = [Name] extends [never]
  ? string
  : (Name extends string ? (text: `${string}{${Name}}${string}`) => void : never) extends (
        text: infer All extends string,
      ) => void
    ? All
    : never

/**
 * Holds the texts of an English file in one language. A missing key, a missing placeholder and a superfluous key do not
 * compile.
 */
export type TranslationOf<E> = {
  readonly [S in keyof E]: {
    readonly [K in keyof E[S]]: E[S][K] extends string ? Holding<Names<E[S][K]>> : Forms
  }
}

type Ready<T> = T extends string
  ? [Names<T>] extends [never]
    ? string
    : (values: Record<Names<T>, string | number>) => string
  : (count: number) => string

/** Holds the English section `T` as a screen uses it: a text with placeholders or forms is a function. */
export type ReadySection<T> = { readonly [K in keyof T]: Ready<T[K]> }
