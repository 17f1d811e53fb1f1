/** WebSocket client with the interface of `inject.socket`. */
import { onTestFinished } from 'vitest'
import WebSocket from 'ws'
import type { InjectedMessage, InjectedSocket } from '../../src/web/inject-socket.ts'

/** Opens a WebSocket. Rejects with status, message and headers of a refusal. It closes after the test. */
export async function openSocket(
  port: number,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<InjectedSocket> {
  const { 'sec-websocket-protocol': offered, ...others } = headers
  const protocols = offered?.split(',').map((name) => name.trim()) ?? []
  const socket = new WebSocket(`ws://127.0.0.1:${port}${target}`, protocols, { headers: others })
  onTestFinished(() => socket.terminate())
  const inbox: InjectedMessage[] = []
  let wake = (): void => {}
  let closeCode: number | null = null
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => {
      closeCode = code
      resolve(code)
      wake()
    })
  })
  socket.on('message', (data: Buffer, isBinary) => {
    const text = (): string => data.toString('utf8')
    inbox.push({ isBinary, bytes: data, text, json: () => JSON.parse(text()) })
    wake()
  })
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
    socket.on('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { message } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
        reject(Object.assign(new Error(message), { status: response.statusCode, answer: response }))
      })
    })
  })
  return {
    protocol: socket.protocol,
    closed,
    send: (message) => {
      const isRaw = typeof message === 'string' || message instanceof Uint8Array
      socket.send(isRaw ? message : JSON.stringify(message))
    },
    async next() {
      for (;;) {
        const message = inbox.shift()
        if (message) return message
        if (closeCode !== null) throw new Error(`The connection is closed with code ${closeCode}.`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async close(code = 1000) {
      socket.close(code)
      await closed
    },
  }
}
