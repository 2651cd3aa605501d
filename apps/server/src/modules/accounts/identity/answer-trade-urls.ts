// How a worker answers what the processes of requests want to know of trade URLs: with our accounts on the
// platform, or, while none of them can ask, with a market that checks trade links.
import type { Db } from '#infra/database/db'
import { createConcurrencyLimiter } from '#infra/limits/concurrency-limiter'
import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import { WAITS_FOR_MS } from './ask-trade-url.ts'
import { type Claimed, claimTradeUrls, type LookedUp, writeAnswer } from './look-up-store.ts'
import type {
  GamePlatform,
  LookUpContext,
  ParsedTradeUrl,
  TradeUrlAnswer,
  TradeUrlSource,
} from './ports.ts'
import { platformIdOf } from './trade-url.ts'

export interface AnsweringDeps {
  readonly db: Db
  readonly clock: Clock
  /** Our accounts on the platform. */
  readonly bots: GamePlatform
  /** A market that checks trade links; null where none does. */
  readonly market: GamePlatform | null
  readonly onAnswer: (lookedUp: LookedUp) => void
}

/** Look-ups under way in one process. */
const AT_ONCE = 8
/** Longer than three bots and a read of an inventory take, each with its deadline. */
const CLAIMED_FOR_MS = 60_000
/** While look-ups are under way, what else waits is looked for so often. */
const REFILL_MS = 100
const RUN_MS = 60_000

/** Works until nothing waits. True: there may be more. */
export function createAnswering(deps: AnsweringDeps): (signal: AbortSignal) => Promise<boolean> {
  const { db, clock } = deps

  const claim = (limit: number, claimId: string): Promise<Claimed[]> => {
    const at = clock.now()
    return claimTradeUrls(db, {
      ...{ claimId, at, limit },
      until: new Date(at.getTime() + CLAIMED_FOR_MS),
      since: new Date(at.getTime() - WAITS_FOR_MS),
    })
  }

  const answer = async (claimed: Claimed, claimId: string): Promise<void> => {
    const startedAt = performance.now()
    const { by, answer } = await lookUp(deps, parsedOf(claimed), claimed)
    const lookedUp = { by, answer, tookMs: Math.round(performance.now() - startedAt) }
    deps.onAnswer(lookedUp)
    await writeAnswer(db, claimed, { claimId, lookedUp, at: clock.now() })
  }

  return async (signal) => {
    const limiter = createConcurrencyLimiter({ total: AT_ONCE, perKey: AT_ONCE })
    const endsAt = performance.now() + RUN_MS
    try {
      while (!signal.aborted && performance.now() < endsAt) {
        const free = limiter.free()
        const claimId = newId()
        const claims = free === 0 ? [] : await claim(free, claimId)
        for (const claimed of claims) limiter.add(claimed.url, answer(claimed, claimId))
        if (claims.length === 0 && limiter.running() === 0) return false
        await limiter.waitForCapacity(REFILL_MS)
      }
    } finally {
      await limiter.allEnded()
    }
    return !signal.aborted
  }
}

const parsedOf = ({ url, partner, token }: Claimed): ParsedTradeUrl => ({
  ...{ partner, token, canonical: url },
  platformId: platformIdOf(partner),
})

async function lookUp(
  { bots, market }: AnsweringDeps,
  url: ParsedTradeUrl,
  context: LookUpContext,
): Promise<{ readonly by: TradeUrlSource; readonly answer: TradeUrlAnswer }> {
  const { requestId, tenantId } = context
  const seen = await bots.resolveTradeUrl(url, { requestId, tenantId })
  if (seen.kind !== 'unavailable' || seen.isUnasked !== true) return { by: 'bots', answer: seen }
  if (market === null) return { by: 'none', answer: seen }
  return { by: 'market_b', answer: await market.resolveTradeUrl(url, { requestId, tenantId }) }
}
