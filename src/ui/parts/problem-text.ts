/** Converts errors to text. */
import { ConnectionError, RequestError } from '../../client/index.ts'
import { useTexts } from '../texts/texts.ts'

/** Returns a function that converts an error to text: the page's own text for its code, else the server's. */
export function useProblemText(): (error: unknown) => string {
  const t = useTexts('common')
  const textOfCode = useCodeText()
  return (error) => {
    if (error instanceof ConnectionError) return t.unreachable
    if (error instanceof RequestError) return textOfCode(error.code, error.params, error.message)
    return t.failed
  }
}

/** Returns a function that gives the text of an error's code, or `other` for a code without a text. */
export function useCodeText(): (
  code: string | undefined,
  params: RequestError['params'],
  other: string,
) => string {
  const texts: Readonly<Record<string, unknown>> = useTexts('problems')
  return (code, params, other) => {
    const text = code !== undefined && Object.hasOwn(texts, code) ? texts[code] : undefined
    if (typeof text === 'string') return text
    const filled = typeof text === 'function' ? (text(params) as string) : other
    return /\{\w+\}/.test(filled) ? other : filled
  }
}
