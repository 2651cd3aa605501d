// A case: a contradiction between us and a supplier that a person must look at. Everything here is pure.
import type { MarketId } from '#buying'

/** The kinds that we open, each with what it says in one sentence. docs/runbooks has a page for them. */
export const CASE_KINDS = {
  orphan_purchase: 'A supplier has an order of ours that no item of ours stands behind.',
  missing: 'We hold an order or an offer as placed, and who has it does not know it.',
  price_differs: 'A supplier took another price than it had stated, or more than our ceiling.',
  refund_not_received: 'An order ended, and its money did not come back as it should have.',
  late_contradiction: 'After an item had ended, its supplier said something else.',
  reversal_seen:
    'The platform took a delivery back in its hold window, and our books still hold it.',
  reversal_unclear:
    'A market took a delivery back and names the user. Its item stays on hold until an operator decides with `ops cases resolve --outcome`.',
  balance_differs: 'Our account at a market holds less than its orders explain.',
  unclear_fault: 'An order ended, and its supplier did not make clear by whose fault.',
  sell_differs: 'A bot received something else than its offer had asked for, or than we recorded.',
  orphan_offer: 'A bot has an offer out that no sell of ours stands behind, or has stood behind.',
  deposit_contradiction:
    'A payment provider reports another order than ours, or disowns a payment that was credited.',
  deposit_held_back:
    'A payment was not credited, because its amount or its moment cannot be meant.',
  deposit_order_missing: 'A payment provider does not know an order that it had taken.',
  deposit_owed: 'A provider took back a deposit that its owner had spent.',
  deposit_unclaimed: 'Money arrived for an account that was deleted.',
  deposit_statement_differs:
    'A payment provider’s statement and our books disagree about a payment.',
  payment_unclaimed: 'A payment reached our account at a provider, and names no deposit of ours.',
  price_outlier: 'A listing asked a price that cannot be meant, and was not bought.',
  chain_balance_differs: 'Our addresses hold more or less on a chain than the books say.',
  custody_overdrawn:
    'A deposit into payout custody left its chain for good, and its owner has paid it out.',
  chain_unseen: 'An address that we handed out holds native coin that no transfer explains.',
  chain_shortfall: 'Our addresses hold less on a chain than we owe to merchants in kind.',
} as const satisfies Record<string, string>
export type CaseKind = keyof typeof CASE_KINDS

/** What an operator does about a case: the place in the repository, which has a heading for each kind. */
export const runbookOf = (kind: string): string =>
  /^deposit_|^payment_/.test(kind)
    ? `docs/runbooks/deposit-unexplained.md#${kind}`
    : `docs/runbooks/reconciliation-case.md#${kind}`

/** Who saw it. A source takes back only what it said itself. */
export type CaseSource = 'follower' | 'statement' | 'balance' | 'guard'

export interface Finding {
  readonly kind: CaseKind
  readonly subject: Subject
  /** What makes it this case: the same details after it was resolved open no new one. */
  readonly details: CaseDetails
  /** What may differ each time it is seen. */
  readonly notes?: CaseDetails
}

export type CaseDetails = Readonly<Record<string, unknown>>

export interface Subject {
  /** `item:<id>`, `order:<market>:<supplier's id>`, `offer:<bot>:<platform's id>`, `market:<id>`,
   * `market:<id>/<account>`, `deposit:<id>`, `payment:<provider>:<provider's reference>`. */
  readonly name: string
  readonly market: MarketId | null
  readonly itemId: string | null
}

export const itemSubject = (itemId: string, market: MarketId | null): Subject => ({
  name: `item:${itemId}`,
  market,
  itemId,
})
export const orderSubject = (market: MarketId, orderId: string): Subject => ({
  name: `order:${market}:${orderId}`,
  market,
  itemId: null,
})
/** An offer on the platform that no item stands behind. */
export const offerSubject = (botId: string, offerId: string): Subject => ({
  name: `offer:${botId}:${offerId}`,
  market: null,
  itemId: null,
})
/** Money that came in, or should have. */
export const depositSubject = (depositId: string): Subject => ({
  name: `deposit:${depositId}`,
  market: null,
  itemId: null,
})
/** A movement on a payment provider's statement. */
export const paymentSubject = (provider: string, ref: string): Subject => ({
  name: `payment:${provider}:${ref}`,
  market: null,
  itemId: null,
})
/** What we hold of a token on a chain, on the addresses of one role, or on one address. */
export const holdingSubject = (chain: string, token: string, role: string): Subject => ({
  name: `holding:${chain}:${token}:${role}`,
  market: null,
  itemId: null,
})
/** Our account `main` there, or the one that is named. */
export const marketSubject = (market: MarketId, account?: string): Subject => ({
  name: account === undefined ? `market:${market}` : `market:${market}/${account}`,
  market,
  itemId: null,
})

export interface CaseFile {
  readonly id: string
  readonly kind: string
  readonly subject: string
  readonly market: MarketId | null
  readonly itemId: string | null
  readonly source: string
  readonly state: 'open' | 'resolved'
  readonly details: CaseDetails
  readonly notes: CaseDetails
  readonly sightings: number
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  /** It is no longer so, and still open: a person says why it was. */
  readonly clearedAt: Date | null
  readonly resolvedAt: Date | null
  readonly resolvedBy: string | null
  readonly resolution: string | null
}

export interface CaseEntry {
  readonly at: Date
  readonly what: 'opened' | 'changed' | 'cleared' | 'returned' | 'resolved'
  readonly byWhom: string | null
  readonly details: CaseDetails
}
