// How long things take and how often they are looked at. The sandbox plays in seconds what the real
// counterparts do in minutes and days, so there are two profiles; nothing else asks which it is.
import type { MarketId } from '#kernel/market-id'
import type { PlatformTiming } from '../adapters/game-platform/index.ts'
import { forEachMarket, type MarketTiming, type Variables } from '../adapters/markets.ts'
import type { DepositProviderTiming } from '../adapters/shared/deposit-calls.ts'
import { SANDBOX_TIMING } from '../adapters/shared/sandbox-timing.ts'

export interface TimingProfile {
  readonly buying: {
    /** Longer than a market's own deadline and its queue: a claim that ran out was not answered. */
    readonly leaseMs: number
    /** Between two looks at an item in its hold, which is also looked at when the hold ends. */
    readonly holdPollMs: number
    /** Between two looks for orders that were given up as never placed. */
    readonly unmatchedWatchEveryMs: number
    /** Between two attempts to open the gate in front of purchases after a restore. */
    readonly openGateEveryMs: number
  }
  readonly selling: {
    /** Longer than a send with its turn at the bot: an intent that ran out was not answered. */
    readonly leaseMs: number
    readonly pollMs: number
    readonly holdPollMs: number
    /** An absent offer is believed only so long after the send; the adapter waits for its own part too. */
    readonly settleMs: number
    readonly lostOfferWatchEveryMs: number
    /** For so long the platform's list of offers may lag behind. */
    readonly statementSettleMs: number
  }
  readonly deposits: {
    /** Between two looks at an order of a payment provider that is not final. */
    readonly pollMs: number
  }
  readonly chains: {
    /** Between two looks for new blocks, and at transfers that wait for more of them. */
    readonly scanMs: number
    readonly confirmMs: number
    readonly sweepMs: number
    /** Between two comparisons of a chain with the books. */
    readonly reconcileMs: number
    /** What was sent to a chain is in a block, or known to a node, so long after. */
    readonly settleMs: number
  }
  readonly reconcileEveryMs: number
  readonly botWatchEveryMs: number
  readonly markets: Readonly<Record<MarketId, MarketTiming>>
  readonly platform: Partial<PlatformTiming>
  readonly depositProviders: Partial<DepositProviderTiming>
}

interface Given {
  readonly holdMs: number
  /** Null: not set. */
  readonly followMs: number | null
  readonly reconcileMs: number | null
}

const HOUR_MS = 3_600_000
/**
 * A reversal is also found by the statement within minutes, and all holds of its account are looked at then,
 * so the regular look is rare: at six hours an item costs 28 look-ups in its seven days instead of 1,008.
 */
const HOLD_POLL_MS = 6 * HOUR_MS

export function productionTiming({ followMs, reconcileMs }: Given): TimingProfile {
  const pollMs = followMs ?? 10_000
  return {
    buying: {
      leaseMs: 60_000,
      holdPollMs: HOLD_POLL_MS,
      unmatchedWatchEveryMs: 60_000,
      openGateEveryMs: 30_000,
    },
    selling: {
      leaseMs: 120_000,
      pollMs: Math.max(pollMs, 10_000),
      holdPollMs: HOLD_POLL_MS,
      settleMs: 60_000,
      lostOfferWatchEveryMs: 60_000,
      statementSettleMs: HOUR_MS / 4,
    },
    deposits: { pollMs: 60_000 },
    chains: {
      scanMs: 2000,
      confirmMs: 5000,
      sweepMs: 60_000,
      reconcileMs: HOUR_MS,
      settleMs: HOUR_MS / 4,
    },
    reconcileEveryMs: reconcileMs ?? 120_000,
    botWatchEveryMs: 15_000,
    markets: forEachMarket(() => ({ pollMs })),
    platform: {},
    depositProviders: {},
  }
}

export function sandboxTiming(
  { holdMs, followMs, reconcileMs }: Given,
  variables: Variables,
): TimingProfile {
  const pollMs = followMs ?? 500
  const holdPollMs = Math.max(pollMs, holdMs / 20)
  return {
    buying: { leaseMs: 20_000, holdPollMs, unmatchedWatchEveryMs: 2000, openGateEveryMs: 1000 },
    selling: {
      leaseMs: 30_000,
      pollMs,
      holdPollMs,
      settleMs: 1000,
      lostOfferWatchEveryMs: 2000,
      statementSettleMs: 3000,
    },
    deposits: { pollMs: 2000 },
    chains: { scanMs: 1000, confirmMs: 1000, sweepMs: 15_000, reconcileMs: 60_000, settleMs: 3000 },
    reconcileEveryMs: reconcileMs ?? 20_000,
    botWatchEveryMs: 1000,
    markets: forEachMarket(({ sandbox }) => ({ ...sandbox.timing(variables), pollMs })),
    platform: SANDBOX_PLATFORM,
    depositProviders: SANDBOX_DEPOSITS,
  }
}

const SANDBOX_DEPOSITS: Partial<DepositProviderTiming> = {
  deadlineMs: SANDBOX_TIMING.callDeadlineMs,
  lookUpSettleMs: SANDBOX_TIMING.lookUpSettleMs,
  breaker: SANDBOX_TIMING.breaker,
}

/** The sandbox locks no account, and its users decide within a second. */
const SANDBOX_PLATFORM: Partial<PlatformTiming> = {
  callDeadlineMs: 5000,
  sendDeadlineMs: 8000,
  settleMs: 3000,
  paceScale: 0,
  restMs: 1000,
  staleMs: 20_000,
  slowlyMs: 5000,
}
