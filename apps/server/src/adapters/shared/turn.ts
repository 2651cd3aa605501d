// A turn: leave for one call to go out at the market's pace.

export interface Turn {
  /** False when it is too old for a call to leave: those that come after it count on that it has left. */
  isFresh(): boolean
  /** The call has ended, whatever came of it. Others wait until then. */
  end(): void
  /** No call was made: what was kept from others is free. Nothing happens after `end`. */
  giveBack(): void
}

/** A permit outlives its call by as much as this and what the call counts after its answer. */
const TURN_MS = 1_000

export function createTurn(ends: { end(): void; giveBack(): void }): Turn {
  const takenMs = performance.now()
  let isOver = false
  const once = (end: () => void) => (): void => {
    if (isOver) return
    isOver = true
    end()
  }
  return {
    isFresh: () => !isOver && performance.now() - takenMs <= TURN_MS,
    end: once(ends.end),
    giveBack: once(ends.giveBack),
  }
}

export const UNLIMITED: Turn = { isFresh: () => true, end: () => {}, giveBack: () => {} }
