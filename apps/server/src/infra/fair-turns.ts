// Work of which little runs at once. Sources take turns, and each has few waiting slots, so that one that
// floods is refused itself and holds up no other for longer than one turn.

export interface TurnBounds {
  /** Running at once, of all sources. */
  readonly atOnce: number
  /** Waiting for a turn, of one source. */
  readonly waitingPerSource: number
  /** Waiting for a turn, of all sources. */
  readonly waiting: number
}

/** Runs `work`, at once or in its turn. `onFull` throws when the source, or all together, wait already. */
export type FairTurns = <T>(source: string, work: () => Promise<T>) => Promise<T>

export function createFairTurns(bounds: TurnBounds, onFull: () => never): FairTurns {
  // The source whose turn is next is the first; one that had its turn and still waits goes to the end.
  const queues = new Map<string, (() => void)[]>()
  let running = 0
  let waiting = 0

  const wait = (source: string): Promise<void> => {
    const queue = queues.get(source) ?? []
    if (waiting >= bounds.waiting || queue.length >= bounds.waitingPerSource) onFull()
    queues.set(source, queue)
    waiting++
    return new Promise((resolve) => queue.push(resolve))
  }

  /** Work that ends hands its turn over, so `running` stays as it is. */
  const handOver = (): void => {
    const [first] = queues
    if (first === undefined) {
      running--
      return
    }
    const [source, queue] = first
    const next = queue.shift()
    queues.delete(source)
    if (queue.length > 0) queues.set(source, queue)
    waiting--
    next?.()
  }

  return async (source, work) => {
    if (running < bounds.atOnce) running++
    else await wait(source)
    try {
      return await work()
    } finally {
      handOver()
    }
  }
}
