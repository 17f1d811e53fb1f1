/**
 * Imports uWebSockets.js. A separate file, because exported types of `waybill` must not name a package that may be
 * missing.
 */
import type * as Uws from 'uWebSockets.js'

const INSTALL =
  'install a release for this Node (npm install uNetworking/uWebSockets.js#RELEASE), or use --adapter node'

/**
 * Imports uWebSockets.js, called "the engine" in this folder.
 *
 * @throws {Error} that says what to install, when it is missing or not native
 */
export async function loadEngine(): Promise<typeof Uws> {
  let uws: typeof Uws
  try {
    uws = ((await import('uWebSockets.js')) as unknown as { default: typeof Uws }).default
  } catch (error) {
    throw new Error(`uWebSockets.js cannot be loaded (${(error as Error).message}): ${INSTALL}`)
  }
  // Native code has no source text. The JavaScript stand-in, to which some builds fall back, has.
  if (!Function.prototype.toString.call(uws.App).includes('[native code]')) {
    throw new Error(`uWebSockets.js has no native code for Node ${process.versions.node}: ${INSTALL}`)
  }
  return uws
}
