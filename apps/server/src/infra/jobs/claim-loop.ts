// The loop of a job that claims due rows and posts to parties outside, each of which may be slow or never
// answer. A post holds a slot until its answer; the answer is recorded without one. Free slots are filled
// while others are held, and what one party holds delays no other.
import { createConcurrencyLimiter } from '../limits/concurrency-limiter.ts'
import { createSlots, type Ending, type Party, type Room, type SlotBounds } from './slots.ts'

export interface ClaimLoopOptions<Item, Answer> {
  readonly bounds: SlotBounds
  /** While posts are under way, what is due is looked for at least so often. */
  readonly refillMs: number
  /** Takes what is due, under leases that outlive the post and the recording of its answer. */
  claim(room: Room): Promise<readonly Item[]>
  partyOf(item: Item): Party
  /** Ends by a deadline of its own. */
  post(item: Item): Promise<Answer>
  /** What an answer says of the party that gave it. */
  endingOf(answer: Answer): Ending
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
  const { bounds, refillMs, claim, partyOf, post, endingOf, record } = options
  const now = options.now ?? (() => performance.now())
  const slots = createSlots(bounds)
  return async (signal) => {
    const limiter = createConcurrencyLimiter({
      total: bounds.total,
      perKey: (key) => slots.boundOf(key, now()),
    })
    const work = async (item: Item): Promise<void> => {
      const begunAt = now()
      let ending: Ending = 'failed'
      try {
        const answer = await post(item)
        ending = endingOf(answer)
        limiter.addFollowUp(record(answer))
      } finally {
        slots.release(partyOf(item), { tookMs: now() - begunAt, ending }, now())
      }
    }
    try {
      const endsAt = now() + RUN_MS
      while (!signal.aborted && now() < endsAt) {
        const wasQuiet = limiter.running() === 0 && limiter.followUps() === 0
        const room = limiter.followUps() < MAX_UNRECORDED ? slots.room(now()) : null
        const items = room === null ? [] : await claim(room)
        for (const item of items) {
          slots.hold(partyOf(item))
          limiter.add(partyOf(item).key, work(item))
        }
        if (items.length === 0 && wasQuiet) return false
        if (room === null || items.length < room.limit) await limiter.waitForCapacity(refillMs)
      }
    } finally {
      await limiter.allEnded()
    }
    return !signal.aborted
  }
}
