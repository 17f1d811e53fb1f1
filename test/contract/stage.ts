/** What handlers of a test's tree find as services, to tell the test what happens and to wait for its word. */
export class Stage {
  /** What `onSent` was called with, in order. */
  readonly settlements: boolean[] = []
  /** How many pieces of a stream the server asked for. */
  pulled = 0
  readonly #cues = new Map<string, Cue>()

  /** To be handed over as `onSent`. */
  readonly settle = (sent: boolean): void => {
    this.settlements.push(sent)
    this.say('settled')
  }

  say(cue: string): void {
    this.#cue(cue).say()
  }

  /** Resolves when `cue` is said, or was. */
  heard(cue: string): Promise<void> {
    return this.#cue(cue).heard
  }

  #cue(name: string): Cue {
    const cue = this.#cues.get(name) ?? new Cue()
    this.#cues.set(name, cue)
    return cue
  }
}

class Cue {
  say: () => void = () => {}
  readonly heard = new Promise<void>((resolve) => {
    this.say = resolve
  })
}
