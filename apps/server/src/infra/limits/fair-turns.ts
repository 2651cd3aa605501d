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

/** Runs `work`, at once or in its turn. `onFull` throws for work that does not get to wait. */
export type FairTurns = <T>(source: string, work: () => Promise<T>) => Promise<T>

/** Answers whether its turn has come; false: its slot is another source's. */
type Waiting = (isItsTurn: boolean) => void

export function createFairTurns(bounds: TurnBounds, onFull: () => never): FairTurns {
  // The source whose turn is next is the first; one that had its turn and still waits goes to the end.
  const queues = new Map<string, Waiting[]>()
  let running = 0
  let waiting = 0

  /** Of sources that fill all slots together the one with the most gives one to a source with fewer. */
  const makeRoom = (own: number): boolean => {
    let most: Waiting[] = []
    for (const queue of queues.values()) if (queue.length > most.length) most = queue
    if (most.length <= own + 1) return false
    most.pop()?.(false)
    waiting--
    return true
  }

  const wait = (source: string): Promise<boolean> => {
    const queue = queues.get(source) ?? []
    const isFull = waiting >= bounds.waiting && !makeRoom(queue.length)
    if (isFull || queue.length >= bounds.waitingPerSource) onFull()
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
    next?.(true)
  }

  return async (source, work) => {
    if (running < bounds.atOnce) running++
    else if (!(await wait(source))) onFull()
    try {
      return await work()
    } finally {
      handOver()
    }
  }
}
