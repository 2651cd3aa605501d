// The loop of a job that claims due rows and posts to destinations outside, each of which may be slow or
// never answer. A post holds a permit until its answer; the answer is recorded without one. Free permits are
// taken while others are held, and what one destination holds delays no other.
import { createConcurrencyLimiter } from '../limits/concurrency-limiter.ts'
import {
  type Capacity,
  createPermits,
  type Destination,
  type Outcome,
  type PermitBounds,
} from './permits.ts'

export interface ClaimLoopOptions<Item, Answer> {
  readonly bounds: PermitBounds
  /** While posts are under way, what is due is looked for at least so often. */
  readonly refillMs: number
  /** Takes what is due, under leases that outlive the post and the recording of its answer. */
  claim(capacity: Capacity): Promise<readonly Item[]>
  destinationOf(item: Item): Destination
  /** Ends by a deadline of its own. */
  post(item: Item): Promise<Answer>
  /** What an answer says of the destination that gave it. */
  outcomeOf(answer: Answer): Outcome
  record(answer: Answer): Promise<unknown>
  /** Milliseconds that only grow. */
  now?(): number
}

/** A run ends after so long, although more may be due: its end says that the job is well. */
const RUN_MS = 300_000
/** Answers that wait to be recorded; beyond these nothing more is claimed. */
const MAX_UNRECORDED = 1024

/**
 * Works until nothing is due and every answer is recorded, or the signal says stop, or five minutes have
 * passed (true: there may be more); then what is under way is brought to its end.
 */
export function createClaimLoop<Item, Answer>(
  options: ClaimLoopOptions<Item, Answer>,
): (signal: AbortSignal) => Promise<boolean> {
  const { bounds, refillMs, claim, destinationOf, post, outcomeOf, record } = options
  const now = options.now ?? (() => performance.now())
  const permits = createPermits(bounds)
  return async (signal) => {
    const limiter = createConcurrencyLimiter({
      total: bounds.total,
      perKey: (key) => permits.boundOf(key, now()),
    })
    const work = async (item: Item): Promise<void> => {
      const begunAt = now()
      let outcome: Outcome = 'failed'
      try {
        const answer = await post(item)
        outcome = outcomeOf(answer)
        limiter.addFollowUp(record(answer))
      } finally {
        permits.release(destinationOf(item), { tookMs: now() - begunAt, outcome }, now())
      }
    }
    try {
      const endsAt = now() + RUN_MS
      while (!signal.aborted && now() < endsAt) {
        const wasQuiet = limiter.running() === 0 && limiter.followUps() === 0
        const capacity = limiter.followUps() < MAX_UNRECORDED ? permits.capacity(now()) : null
        const items = capacity === null ? [] : await claim(capacity)
        for (const item of items) {
          permits.hold(destinationOf(item))
          limiter.add(destinationOf(item).key, work(item))
        }
        if (items.length === 0 && wasQuiet) return false
        if (capacity === null || items.length < capacity.limit)
          await limiter.waitForCapacity(refillMs)
      }
    } finally {
      await limiter.allEnded()
    }
    return !signal.aborted
  }
}
