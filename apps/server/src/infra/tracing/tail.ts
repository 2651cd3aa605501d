// Which spans leave: all of a share of the traces, and of the others what this process did in one that
// failed. That is known at its end, so until then its spans are held, within bounds.

export interface TailOptions<Ended> {
  /** Of the traces, 0 to 1. Every process decides alike, by the id of the trace. */
  readonly share: number
  readonly leave: (span: Ended) => void
  /** Spans of all traces together that may wait for an end; beyond them none is held. */
  readonly mostHeld: number
  /** Of one trace, the last ones. */
  readonly mostOfOne: number
  readonly onDropped: (count: number) => void
}

/** What this process does in one trace. */
export interface LocalTrace<Ended> {
  readonly isSampled: boolean
  /** A quiet one has done something that is worth showing. */
  hasWorked(): void
  hasFailed(): void
  add(span: Ended): void
  /** Its first span has ended, and was added. */
  end(): void
  isOver(): boolean
}

export type Tail<Ended> = (traceId: string, isQuiet: boolean) => LocalTrace<Ended>

/** The last 52 bits, which are random in an id of ours and in one by the W3C's recommendation. */
const SHARE_DIGITS = 13
const shareOf = (traceId: string): number =>
  Number.parseInt(traceId.slice(-SHARE_DIGITS), 16) / 16 ** SHARE_DIGITS

export function createTail<Ended>(options: TailOptions<Ended>): Tail<Ended> {
  const shared = { ...options, held: 0 }
  return (traceId, isQuiet) => new Part(shared, shareOf(traceId) < options.share, isQuiet)
}

/** One is made for each request, so it is a class. `held`: of all traces together. */
class Part<Ended> implements LocalTrace<Ended> {
  readonly isSampled: boolean
  readonly #shared: TailOptions<Ended> & { held: number }
  #leaves: boolean
  #isOver = false
  #held: Ended[] | null = null

  constructor(shared: TailOptions<Ended> & { held: number }, isSampled: boolean, isQuiet: boolean) {
    this.#shared = shared
    this.isSampled = isSampled
    this.#leaves = isSampled && !isQuiet
  }

  hasWorked(): void {
    if (this.isSampled) this.hasFailed()
  }

  hasFailed(): void {
    if (this.#leaves) return
    this.#leaves = true
    for (const span of this.#release()) this.#shared.leave(span)
  }

  add(span: Ended): void {
    const { leave, mostHeld, mostOfOne, onDropped } = this.#shared
    if (this.#leaves) {
      leave(span)
      return
    }
    if (this.#isOver) return
    this.#held ??= []
    if (this.#held.length === mostOfOne) {
      this.#held.shift()
      this.#held.push(span)
    } else if (this.#shared.held < mostHeld) {
      this.#held.push(span)
      this.#shared.held++
    } else onDropped(1)
  }

  end(): void {
    this.#isOver = true
    this.#release()
  }

  isOver(): boolean {
    return this.#isOver
  }

  #release(): readonly Ended[] {
    const released = this.#held ?? []
    this.#held = null
    this.#shared.held -= released.length
    return released
  }
}
