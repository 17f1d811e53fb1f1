/**
 * Receives the bytes of an export: in a file that the user chooses, or, in a browser without a file picker, in memory.
 * Knows no session.
 */

/** Bytes that a browser without a file picker may collect. */
export const MAX_COLLECTED = 100_000_000

type Bytes = Uint8Array<ArrayBuffer>

export interface Sink {
  write(bytes: Bytes): Promise<void>
  close(): Promise<void>
  /** Ends without a file. */
  abort(): Promise<void>
}

/** File picker of the File System Access API, which some browsers lack, and which needs HTTPS or the local machine. */
export type FilePicker = (options: {
  readonly suggestedName: string
  readonly types: readonly { readonly accept: Readonly<Record<string, readonly string[]>> }[]
}) => Promise<{ createWritable(): Promise<Sink> }>

/** Error of an export with more than {@link MAX_COLLECTED} bytes. */
export class TooLarge extends Error {}

/**
 * Opens a sink. Asks for the file at once, while the click still permits it.
 *
 * @param save saves collected bytes as a file
 * @returns null if the user dismissed the file picker
 */
export async function openSink(
  name: string,
  type: string,
  pick: FilePicker | undefined,
  save: (content: Blob, name: string) => void,
): Promise<Sink | null> {
  if (!pick) return collector((pieces) => save(new Blob(pieces, { type }), name))
  const extension = name.slice(name.lastIndexOf('.'))
  try {
    const file = await pick({ suggestedName: name, types: [{ accept: { [type]: [extension] } }] })
    return await file.createWritable()
  } catch (error) {
    if ((error as Error).name === 'AbortError') return null
    throw error
  }
}

function collector(save: (pieces: Bytes[]) => void): Sink {
  let pieces: Bytes[] = []
  let size = 0
  return {
    async write(bytes) {
      size += bytes.length
      if (size > MAX_COLLECTED) throw new TooLarge()
      pieces.push(bytes)
    },
    async close() {
      save(pieces)
    },
    async abort() {
      pieces = []
    },
  }
}
