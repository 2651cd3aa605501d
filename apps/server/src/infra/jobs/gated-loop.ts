// The loop of a job that claims what is due behind a gate and works on it outside: one slow piece of work
// holds up no other. While nothing is due, a round is one statement.
import { createConcurrencyLimiter } from '../limits/concurrency-limiter.ts'

export interface GatedLoopOptions<Item> {
  /** Pieces of work under way at once in this process. */
  readonly concurrency: number
  /** Whether there is something to claim, or to end because it has waited too long. */
  isDue(): Promise<boolean>
  /** False while nothing may be claimed, nor be ended for its wait. */
  isOpen(): Promise<boolean>
  /** At most so many. It may wait until some of them can be worked on, but not beyond the signal. */
  claim(limit: number, signal: AbortSignal): Promise<readonly Item[]>
  /** What such a claim leaves free is claimed for at once. */
  readonly isPaced?: boolean
  /** The party that the work is for. */
  keyOf(item: Item): string
  work(item: Item): Promise<void>
}

/** How long answers are gathered before free capacity is filled again. */
const REFILL_MS = 50
/** The gate is asked before each claim, and at most so often while nothing is due. */
const GATE_EVERY_MS = 1000

/**
 * Works until nothing is claimed and nothing is under way, or the signal says stop; then what is under way is
 * brought to its end.
 */
export function createGatedLoop<Item>(
  options: GatedLoopOptions<Item>,
): (signal: AbortSignal) => Promise<boolean> {
  const { concurrency, isOpen, claim, keyOf, work } = options
  let gateAskedAtMs = Number.NEGATIVE_INFINITY
  return async (signal) => {
    const limiter = createConcurrencyLimiter({ total: concurrency, perKey: concurrency })
    const claimDue = async (): Promise<readonly Item[]> => {
      if (limiter.free() === 0) return []
      const isDue = await options.isDue()
      if (!isDue && performance.now() - gateAskedAtMs < GATE_EVERY_MS) return []
      gateAskedAtMs = performance.now()
      return (await isOpen()) && isDue ? claim(limiter.free(), signal) : []
    }
    try {
      while (!signal.aborted) {
        const items = await claimDue()
        for (const item of items) limiter.add(keyOf(item), work(item))
        if (limiter.running() === 0) return false
        const hasMore = options.isPaced && items.length > 0 && limiter.free() > 0
        await limiter.waitForCapacity(hasMore ? 0 : REFILL_MS)
      }
    } finally {
      await limiter.allEnded()
    }
    return false
  }
}
