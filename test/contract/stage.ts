/** The services of a tree under test. Its handlers and the test exchange cues through it. */
export class Stage {
  /** The arguments of `onSent`, in order. */
  readonly settlements: boolean[] = []
  /** Number of pieces that the server requested from a stream. */
  pulled = 0
  readonly #cues = new Map<string, Cue>()

  /** Records a call. A handler passes it as `onSent`. */
  readonly settle = (sent: boolean): void => {
    this.settlements.push(sent)
    this.say('settled')
  }

  say(cue: string): void {
    this.#cue(cue).say()
  }

  /** Resolves once `cue` is said, at once if it was said before. */
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
