/** Tracks the open WebSocket sessions of one server, so that shutdown closes them and waits for their DISCONNECT. */
import type { SocketSession } from './socket-session.ts'
import { CLOSE_CODES } from './web-sockets.ts'

export class OpenSessions {
  readonly #sessions = new Set<SocketSession>()
  #isClosing = false
  #onIdle = (): void => {}

  get size(): number {
    return this.#sessions.size
  }

  add(session: SocketSession): void {
    this.#sessions.add(session)
    void session.ended.then(() => {
      this.#sessions.delete(session)
      if (this.#sessions.size === 0) this.#onIdle()
    })
    if (this.#isClosing) session.close(CLOSE_CODES.goingAway)
  }

  /** Closes every session with "going away", including sessions added later. */
  closeAll(): void {
    this.#isClosing = true
    for (const session of [...this.#sessions]) session.close(CLOSE_CODES.goingAway)
  }

  async idle(): Promise<void> {
    if (this.#sessions.size === 0) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }
}
