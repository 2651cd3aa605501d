// The cases that a run leaves behind, each with what explains it: something that was really done to the
// system it is about, and figures that fit. A case of which this cannot be said fails the run.
import { type Db, sql } from '../../../apps/server/src/infra/database/db.ts'
import { type Fault, OVERCHARGE_MILLS } from '../faults/markets.ts'
import type { Suppliers } from '../faults/suppliers.ts'

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
  'endurance_cases',
  `select c.kind, c.market, coalesce(c.cleared_at, c.resolved_at) is not null as cleared, c.facts,
     right(t.trade_url, 8) as token, o.state as "orderState", o.offer_seen as "offerSeen"
   from reconciliation.case_file c
   left join trades.item i on i.id = c.item_id
   left join trades.trade t on t.id = i.trade_id
   left join buying.supplier_order o on o.item_id = i.id
   order by c.first_seen_at`,
)

export const readCases = (db: Db): Promise<readonly Case[]> => db.query<Case>(READ)

type Done = (system: string | null, ...parts: string[]) => boolean

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
  shown: readonly Fault[],
): { readonly explained: Explained[]; readonly unexplained: Case[] } {
  const done: Done = (system, ...parts) =>
    shown.some(
      (fault) =>
        (system === null || fault.system === system) &&
        parts.some((part) => fault.word.includes(part)),
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

// ---------------------------------------------------------------- with deposits and withdrawals

/** Which faults leave a case of a kind. One about a chain must have been cleared by the end. */
const OF_MONEY: Readonly<
  Record<string, { readonly faults: readonly string[]; readonly isCleared?: true }>
> = {
  deposit_contradiction: {
    faults: [
      'false_total',
      'false_payment',
      'other_order',
      'false_amount',
      'other_wallet',
      'sends:',
    ],
  },
  deposit_unclaimed: { faults: ['lookup_blind', '+placed', 'lost_reply_placed', 'html_200'] },
  deposit_order_missing: { faults: ['lost_reply', 'http_500', 'html_200', 'lookup_blind'] },
  deposit_owed: { faults: ['exchange_failed', 'payment_blocked', 'sends:'] },
  deposit_held_back: { faults: ['payment_blocked', 'exchange_failed', 'conversion_delay'] },
  chain_balance_differs: { faults: ['reorg', 'node', 'logs'], isCleared: true },
  chain_shortfall: { faults: ['reorg', 'node', 'logs'], isCleared: true },
}

/** What no fault explains, in words: how many of each kind and market, with the first one. */
export function unexplained(
  cases: readonly Case[],
  { shown, faults }: Pick<Suppliers, 'shown' | 'faults'>,
): string[] {
  const ofMoneyShown = [...faults.keys()]
  const isExplained = ({ kind, cleared }: Case): boolean => {
    const cause = OF_MONEY[kind]
    if (cause === undefined || (cause.isCleared && !cleared)) return false
    return ofMoneyShown.some((fault) => cause.faults.some((part) => fault.includes(part)))
  }
  const ofMoney = cases.filter(({ kind }) => kind in OF_MONEY)
  const others = cases.filter(({ kind }) => !(kind in OF_MONEY))
  const left = [
    ...ofMoney.filter((one) => !isExplained(one)),
    ...explain(others, shown).unexplained,
  ]
  const groups = Map.groupBy(left, ({ kind, market }) => `${kind} ${market ?? ''}`)
  return [...groups].map(([name, all]) => `${all.length} of ${name}: ${JSON.stringify(all[0])}`)
}
