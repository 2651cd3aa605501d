// Every fault of the external systems that the sandbox can produce, one after the other, in an
// order that is random, and again from the start when all were used.
import { type Control, MARKETS, type MarketId } from '../../support/sandbox.ts'
import { type Dice, deckOf } from '../dice.ts'
import { createOutages } from './outages.ts'

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

export interface Fault {
  readonly system: MarketId | 'platform'
  readonly word: string
}

const ALL: readonly Fault[] = [
  ...MARKETS.flatMap((system) =>
    [...OF_PURCHASES, ...OF_MARKETS, 'offline', 'crawls'].map((word) => ({ system, word })),
  ),
  { system: 'market_a', word: 'token_expired' },
  { system: 'market_b', word: 'extra_status_6' },
  ...[...OF_PLATFORM, 'offline'].map((word) => ({ system: 'platform' as const, word })),
]

export interface Faults {
  /** What was done, oldest first. */
  readonly shown: readonly Fault[]
  /** How many kinds there are. */
  readonly kinds: number
  next(): Promise<void>
  /** Everything is well again, and nothing waits to go wrong. */
  end(): Promise<void>
}

const pathOf = (system: Fault['system']): string =>
  system === 'platform' ? '/platform' : `/markets/${system}`

export function startMarketFaults(control: Control, throwDice: Dice): Faults {
  const { call } = control
  const shown: Fault[] = []
  const deck = deckOf(ALL, throwDice)
  const outages = createOutages(call)
  const make = async ({ system, word }: Fault): Promise<void> => {
    const path = pathOf(system)
    if (word === 'offline') {
      outages.begin({ path, bad: { online: false }, good: { online: true } }, OUTAGE_MS)
    } else if (word === 'crawls') {
      const bad = { latencyMs: CRAWL_LATENCY_MS }
      outages.begin({ path, bad, good: { latencyMs: 0 } }, OUTAGE_MS)
    } else await call('POST', `${path}/script`, { next: [word] })
    // A key that a market took away is given back by its staff.
    if (word === '403') await call('PUT', path, { restoreKeys: true })
  }
  return {
    shown,
    kinds: ALL.length,
    next: async () => {
      const fault = deck.next()
      await make(fault)
      shown.push(fault)
    },
    end: async () => {
      await outages.over()
      await endMarketFaults(control)
    },
  }
}

/** Markets and platform are well, and nothing waits to go wrong. */
export async function endMarketFaults(control: Control): Promise<void> {
  for (const market of MARKETS) {
    await control.clearScript(market)
    await control.call('PUT', pathOf(market), { online: true, latencyMs: 0, restoreKeys: true })
  }
  await control.call('DELETE', '/platform/script')
  await control.setPlatform({ online: true, latencyMs: 0 })
}
