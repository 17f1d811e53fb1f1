/** Determines whether the installed uWebSockets.js is native on this Node. Used by vitest.config.ts. */

/** The development build has a binary for Node 20 only. */
const NATIVE_MAJOR = '20'

export async function hasNativeUws(): Promise<boolean> {
  const { warn } = console
  try {
    // The build warns about its fallback in several lines.
    console.warn = () => {}
    const { default: uws } = await import('uWebSockets.js')
    return Function.prototype.toString.call(uws.App).includes('[native code]')
  } catch {
    return false
  } finally {
    console.warn = warn
  }
}

/** Writes one line: the tests of adapter uws are left out. @throws in CI on Node 20, where they must run */
export function leaveOutUws(): void {
  const { node } = process.versions
  const why = `uWebSockets.js is not native on Node ${node}`
  if (process.env.CI && node.startsWith(`${NATIVE_MAJOR}.`))
    throw new Error(`${why}, but CI tests adapter uws`)
  process.stderr.write(`The tests of adapter uws are left out: ${why}.\n`)
}
