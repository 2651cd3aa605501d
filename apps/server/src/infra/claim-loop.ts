// The loop of a job that claims due rows and posts to parties outside, each of which may be slow or never
// answer. A post holds a slot until its answer; the answer is recorded without one. Free slots are filled
// while others are held, and what one party holds delays no other.
import { type ConcurrencyLimiter, createConcurrencyLimiter } from './concurrency-limiter.ts'

/** Posts under way at once in this process. A key names the party that is posted to. */
export interface SlotBounds {
  readonly total: number
  /** Of one key: it is claimed for while it holds less than half of them. */
  readonly perKey: number
  /** Of a key whose last answer took a second or longer, or never came. */
  readonly perSlowKey: number
  /**
   * The last ones of `total`. A key gets one of them, while it holds no other slot and is not slow: as many
   * parties as this have to begin at once, each for one deadline, before an answering one waits.
   */
  readonly reserved: number
  /** Items of one claim. */
  readonly perClaim: number
}

/** What a claim may take. */
export interface Room {
  /** Items in all, at least one. */
  readonly limit: number
  /** Items of one key. */
  readonly perKey: number
  /** Items of one of `slowKeys`. */
  readonly perSlowKey: number
  readonly slowKeys: readonly string[]
  /** Nothing is claimed for them now. */
  readonly busyKeys: readonly string[]
}

export interface ClaimLoopOptions<Item, Answer> {
  readonly bounds: SlotBounds
  /** While posts are under way, what is due is looked for at least so often. */
  readonly refillMs: number
  /** Takes what is due, under leases that outlive the post and the recording of its answer. */
  claim(room: Room): Promise<readonly Item[]>
  keyOf(item: Item): string
  /** Ends by a deadline of its own. */
  post(item: Item): Promise<Answer>
  record(answer: Answer): Promise<unknown>
  /** Milliseconds that only grow. */
  now?(): number
}

/** A run ends after so long, although more may be due: its end says that the job is well. */
const RUN_MS = 300_000
/** A post that took so long makes its key a slow one, until a quicker one ends that. */
const SLOW_MS = 1000
/** Beyond these the one that was slow longest ago counts as quick: its next post shows. */
const MAX_SLOW_KEYS = 10_000
/** Answers that wait to be recorded; beyond these nothing more is claimed. */
const MAX_UNRECORDED = 1024

/**
 * Works until nothing is due and every answer is recorded, or the signal says stop, or five minutes have
 * passed (true: there may be more); then what is under way is brought to its end.
 */
export function createClaimLoop<Item, Answer>(
  options: ClaimLoopOptions<Item, Answer>,
): (signal: AbortSignal) => Promise<boolean> {
  const { bounds, refillMs, claim, keyOf, post, record, now = () => performance.now() } = options
  const slow = new Set<string>()
  const setSlow = (key: string, isSlow: boolean): void => {
    slow.delete(key)
    if (isSlow) slow.add(key)
    if (slow.size > MAX_SLOW_KEYS) slow.delete(slow.values().next().value ?? key)
  }
  return async (signal) => {
    const limiter = createConcurrencyLimiter({
      total: bounds.total,
      perKey: (key) => (slow.has(key) ? bounds.perSlowKey : bounds.perKey),
    })
    const work = async (item: Item): Promise<void> => {
      const begunAt = now()
      const answer = await post(item)
      setSlow(keyOf(item), now() - begunAt >= SLOW_MS)
      limiter.addFollowUp(record(answer))
    }
    try {
      const endsAt = now() + RUN_MS
      while (!signal.aborted && now() < endsAt) {
        const wasQuiet = limiter.running() === 0 && limiter.followUps() === 0
        const room = roomIn(limiter, bounds, slow)
        const items = room === null ? [] : await claim(room)
        for (const item of items) limiter.add(keyOf(item), work(item))
        if (items.length === 0 && wasQuiet) return false
        if (room === null || items.length < room.limit) await limiter.waitForCapacity(refillMs)
      }
    } finally {
      await limiter.allEnded()
    }
    return !signal.aborted
  }
}

function roomIn(
  limiter: ConcurrencyLimiter,
  { perKey, perSlowKey, reserved, perClaim }: SlotBounds,
  slow: ReadonlySet<string>,
): Room | null {
  const free = limiter.free()
  if (free === 0 || limiter.followUps() >= MAX_UNRECORDED) return null
  if (free <= reserved) {
    const limit = Math.min(free, perClaim)
    const busyKeys = [...new Set([...limiter.keys(), ...slow])]
    return { limit, perKey: 1, perSlowKey: 1, slowKeys: [], busyKeys }
  }
  const limit = Math.min(free - reserved, perClaim)
  return {
    limit,
    perKey: Math.min(perKey, limit),
    perSlowKey: Math.min(perSlowKey, limit),
    slowKeys: [...slow],
    busyKeys: limiter.busyKeys(),
  }
}
