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
  const { share, leave, mostHeld, mostOfOne, onDropped } = options
  let heldInAll = 0

  return (traceId, isQuiet) => {
    const isSampled = shareOf(traceId) < share
    let leaves = isSampled && !isQuiet
    let isOver = false
    let held: Ended[] = []

    const release = (): Ended[] => {
      const released = held
      held = []
      heldInAll -= released.length
      return released
    }
    const letLeave = (): void => {
      leaves = true
      for (const span of release()) leave(span)
    }
    return {
      isSampled,
      hasWorked: () => {
        if (isSampled && !leaves) letLeave()
      },
      hasFailed: () => {
        if (!leaves) letLeave()
      },
      add: (span) => {
        if (leaves) return leave(span)
        if (isOver) return
        if (held.length === mostOfOne) {
          held.shift()
          held.push(span)
        } else if (heldInAll < mostHeld) {
          held.push(span)
          heldInAll++
        } else onDropped(1)
      },
      end: () => {
        isOver = true
        release()
      },
      isOver: () => isOver,
    }
  }
}
