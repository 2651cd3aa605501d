// The cases that a soak leaves behind, each with what explains it: something that was really done to the
// party it is about, and figures that fit. A case of which this cannot be said fails the soak.
import { type Db, sql } from '../../../apps/server/src/infra/database/db.ts'
import { OVERCHARGE_MILLS, type Trouble } from '../faults/markets.ts'

export interface Case {
  readonly kind: string
  readonly market: string | null
  readonly cleared: boolean
  readonly facts: Readonly<Record<string, unknown>>
  /** Of the trade that its item belongs to; null where it is about no item of ours. */
  readonly token: string | null
  readonly orderState: string | null
  /** Whether a look-up of its order has ever shown the offer; null as above. */
  readonly offerSeen: boolean | null
}

const READ = sql(
  'soak_cases',
  `select c.kind, c.market, c.cleared_at is not null as cleared, c.facts,
     right(t.trade_url, 8) as token, o.state as "orderState", o.offer_seen as "offerSeen"
   from reconciliation.case_file c
   left join trades.item i on i.id = c.item_id
   left join trades.trade t on t.id = i.trade_id
   left join buying.supplier_order o on o.item_id = i.id
   order by c.first_seen_at`,
)

export const readCases = (db: Db): Promise<readonly Case[]> => db.query<Case>(READ)

type Done = (party: string | null, ...parts: string[]) => boolean

/** Null when nothing that was done explains it. */
type Explain = (found: Case, done: Done) => string | null

const LOST = ['lost_reply', 'http_500', '502', 'html_200', 'slow:', 'failure_with_id'] as const

/** Their users refuse each offer, or let it pass. */
const UNWILLING: ReadonlySet<string | null> = new Set(['declin00', 'expire00'])

const EXPLAIN: Readonly<Record<string, Explain>> = {
  orphan_purchase: ({ market }, done) =>
    done(market, 'lookup_blind') && done(market, ...LOST)
      ? 'the answer of the purchase was lost while the market hid its orders'
      : null,
  missing: ({ market, cleared }, done) => {
    if (!done(market, 'lookup_blind')) return null
    return cleared ? 'the market hid its orders for a while; the case has cleared' : null
  },
  price_differs: ({ market, facts }, done) =>
    done(market, 'overcharge') &&
    Number(facts.paidMills) - Number(facts.ceilingMills) === OVERCHARGE_MILLS
      ? `the market took ${OVERCHARGE_MILLS} thousandths more than it had quoted`
      : null,
  refund_not_received: ({ market }, done) =>
    done(market, 'refund_withheld') ? 'the market kept the refund of an order that ended' : null,
  reversal_seen: ({ market, token, cleared }, done) =>
    cleared && (token?.startsWith('rv') || done(market, 'reversal_by'))
      ? 'a user took the delivery back, and the follower booked it later'
      : null,
  balance_differs: ({ market, cleared }, done) =>
    cleared || done(market, 'refund_withheld', 'overcharge')
      ? 'a refund was withheld or an overcharge taken, and the account holds less by it'
      : null,
  unclear_fault: ({ market, facts, token, offerSeen }, done) => {
    // At its end market A names neither the offer nor its time: without a look between, it looks like an
    // order that never had one, and its buyer is refunded in full.
    const isUnseen = market === 'market_a' && facts.state === 'failed' && offerSeen === false
    if (isUnseen && UNWILLING.has(token))
      return 'the buyer ended an offer before a look-up showed it'
    return done(market, 'seller_cancels', 'lost_cancel', 'reversal_by') ||
      facts.offerId !== undefined
      ? 'the market did not say whose fault the end was'
      : null
  },
  late_contradiction: ({ market }, done) =>
    done(market, 'lookup_blind') && done(market, ...LOST)
      ? 'an order that was given up as absent was delivered later'
      : null,
  orphan_offer: (_, done) =>
    done('platform', 'lost_reply_placed', 'http_500+placed', 'slow:')
      ? 'the answer of a send was lost, and its offer was found later'
      : null,
}

export interface Explained {
  readonly kind: string
  readonly why: string
  readonly open: number
  readonly cleared: number
}

export function explain(
  cases: readonly Case[],
  said: readonly Trouble[],
): { readonly explained: Explained[]; readonly unexplained: Case[] } {
  const done: Done = (party, ...parts) =>
    said.some(
      (trouble) =>
        (party === null || trouble.party === party) &&
        parts.some((part) => trouble.word.includes(part)),
    )
  const groups = new Map<string, { kind: string; why: string; open: number; cleared: number }>()
  const unexplained: Case[] = []
  for (const found of cases) {
    const why = EXPLAIN[found.kind]?.(found, done) ?? null
    if (why === null) {
      unexplained.push(found)
      continue
    }
    const name = `${found.kind}: ${why}`
    const group = groups.get(name) ?? { kind: found.kind, why, open: 0, cleared: 0 }
    groups.set(name, group)
    if (found.cleared) group.cleared++
    else group.open++
  }
  return { explained: [...groups.values()], unexplained }
}
