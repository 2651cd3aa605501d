// Turns on the event loop. Hundreds of requests of one caller may arrive together: each costs little, and a
// request of another caller that came after all of them would wait for their sum.

/** Null: at once. Else resolves in the turn of the source; those without a name share one. */
export type LoopTurns = (source: string | null) => Promise<void> | null

export interface LoopTurnBounds {
  /** How long one round of the loop has worked when what comes next has to wait for a turn. */
  readonly sliceMs: number
  /** Of those that wait, how many have their turn in one round. */
  readonly perRound: number
}

const BOUNDS: LoopTurnBounds = { sliceMs: 2, perRound: 1 }

/** Sources that wait have one turn each, in the order of their last ones; each waits in its own queue. */
export function createLoopTurns({ sliceMs, perRound }: LoopTurnBounds = BOUNDS): LoopTurns {
  const queues = new Map<string | null, (() => void)[]>()
  /** When the first work of this round began; null: none has. */
  let begunMs: number | null = null

  const beginRound = (): number => {
    // After everything that has come meanwhile.
    setImmediate(endRound)
    begunMs = performance.now()
    return begunMs
  }
  const endRound = (): void => {
    begunMs = null
    if (queues.size > 0) beginRound()
    for (let left = perRound; left > 0 && queues.size > 0; left--) giveTurn()
  }
  const giveTurn = (): void => {
    const [first] = queues
    if (first === undefined) return
    const [source, queue] = first
    const next = queue.shift()
    queues.delete(source)
    if (queue.length > 0) queues.set(source, queue)
    next?.()
  }

  return (source) => {
    const sinceMs = begunMs ?? beginRound()
    if (queues.size === 0 && performance.now() - sinceMs <= sliceMs) return null
    return new Promise((resolve) => {
      const queue = queues.get(source)
      if (queue === undefined) queues.set(source, [resolve])
      else queue.push(resolve)
    })
  }
}
