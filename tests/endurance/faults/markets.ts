// Every fault of the external systems that the sandbox can produce, one after the other, in an
// order that is random, and again from the start when all were used.
import type { Sandbox } from '../../support/sandbox.ts'
import { MARKETS, type MarketId } from '../../support/sandbox.ts'

/** The overcharge in thousandths of a dollar: a case must name exactly this amount. */
export const OVERCHARGE_MILLS = 777

/** For the next purchase at a market. */
const OF_PURCHASES = [
  'reject:sold_out',
  'reject:price_changed',
  'reject:no_funds',
  'reject:unknown',
  'lost_reply_placed',
  'lost_reply_not_placed',
  'lost_reply_placed+lookup_blind:5',
  'lost_reply_placed+lookup_blind:20',
  'http_500',
  'http_500+placed',
  '502',
  '502+placed',
  'html_200',
  'html_200+placed',
  '429',
  '403',
  'success_without_id',
  'failure_with_id',
  'slow:600',
  'slow:4000',
  'seller_cancels',
  'seller_cancels_offer',
  'reversal_by:user',
  'reversal_by:supplier',
  `overcharge:${OVERCHARGE_MILLS}`,
  'seller_cancels+refund_withheld',
] as const

/** At once. */
const OF_MARKETS = [
  'lookup_blind:4',
  'lost_cancel_done',
  'lost_cancel_not_done',
  'socket_cut',
  'duplicate_news',
] as const

const OF_PLATFORM = [
  'lost_reply_placed',
  'lost_reply_not_placed',
  'http_500',
  'http_500+placed',
  'reject:26',
  'reject:15',
  'session_lost',
  '429',
  'slow:2000',
  'end_sessions',
  'foreign_confirmation',
  'refuse_reads:3',
] as const

const OUTAGE_MS = 6000
const CRAWL_LATENCY_MS = 900

export interface Trouble {
  readonly party: MarketId | 'platform'
  readonly word: string
}

const ALL: readonly Trouble[] = [
  ...MARKETS.flatMap((party) =>
    [...OF_PURCHASES, ...OF_MARKETS, 'offline', 'crawls'].map((word) => ({ party, word })),
  ),
  { party: 'market_a', word: 'token_expired' },
  { party: 'market_b', word: 'extra_status_6' },
  ...[...OF_PLATFORM, 'offline'].map((word) => ({ party: 'platform' as const, word })),
]

export interface Troubles {
  /** What was done, oldest first. */
  readonly said: readonly Trouble[]
  /** How many kinds there are. */
  readonly kinds: number
  next(): Promise<void>
  /** Everything is well again, and nothing waits to go wrong. */
  end(): Promise<void>
}

export function startTroubles(
  { control }: Pick<Sandbox, 'control'>,
  throwDice: () => number,
): Troubles {
  const said: Trouble[] = []
  let due: Trouble[] = []
  const passing = new Set<Promise<unknown>>()
  const { call } = control
  const pathOf = (party: Trouble['party']): string =>
    party === 'platform' ? '/platform' : `/markets/${party}`
  const forAWhile = (party: Trouble['party'], bad: object, good: object): void => {
    const passes = new Promise((resolve) => setTimeout(resolve, OUTAGE_MS))
      .then(() => call('PUT', pathOf(party), good))
      .finally(() => passing.delete(passes))
    passing.add(passes)
    void call('PUT', pathOf(party), bad)
  }
  const make = async ({ party, word }: Trouble): Promise<void> => {
    if (word === 'offline') forAWhile(party, { online: false }, { online: true })
    else if (word === 'crawls') {
      forAWhile(party, { latencyMs: CRAWL_LATENCY_MS }, { latencyMs: 0 })
    } else await call('POST', `${pathOf(party)}/script`, { next: [word] })
    // A key that a market took away is given back by its staff.
    if (word === '403') await call('PUT', pathOf(party), { restoreKeys: true })
  }
  return {
    said,
    kinds: ALL.length,
    next: async () => {
      if (due.length === 0) due = shuffled(ALL, throwDice)
      const trouble = due.pop() as Trouble
      await make(trouble)
      said.push(trouble)
    },
    end: async () => {
      await Promise.all(passing)
      for (const market of MARKETS) {
        await control.clearScript(market)
        await call('PUT', pathOf(market), { online: true, latencyMs: 0, restoreKeys: true })
      }
      await call('DELETE', '/platform/script')
      await control.setPlatform({ online: true, latencyMs: 0 })
    },
  }
}

export function shuffled<Value>(values: readonly Value[], throwDice: () => number): Value[] {
  return values
    .map((value) => ({ value, place: throwDice() }))
    .sort((left, right) => left.place - right.place)
    .map(({ value }) => value)
}
