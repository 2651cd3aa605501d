// SQL of who cannot pay what a listing costs, asked for many at once before any of them tries to buy it.
import type { PausedReason } from '#bidding'
import { bool, columns, text } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import { type Cents, type Currency, cents } from '#kernel/money'

/** An account that buys with a key, or without one. */
interface Payer {
  readonly accountId: string
  readonly keyId: string | null
  readonly currency: Currency
}

export interface Unable extends Omit<Payer, 'currency'> {
  readonly reason: Extract<PausedReason, 'INSUFFICIENT_BALANCE' | 'SPENDING_LIMIT_REACHED'>
  /** The limit is that of the key: the account could pay without it. */
  readonly isOfKey: boolean
  /** Of the listing, with the fees of the account, in cents of its wallet's currency. */
  readonly price: Cents
}

const UNABLE = columns<Unable>('judged.', {
  accountId: text,
  keyId: text,
  reason: [
    `case judged.bound when 'wallet' then 'INSUFFICIENT_BALANCE' else 'SPENDING_LIMIT_REACHED' end`,
    text,
  ],
  isOfKey: [`judged.bound = 'key'`, bool],
  price: cents,
})

// Judged as a buy is: the wallet first, then the limits of the account, and that of the key.
const UNABLE_TO_PAY = sql(
  'buying.unable_to_pay',
  `with payer as (
     select asked.account_id, asked.key_id, asked.currency,
       listing.sourcing + pricing.share_half_up(listing.sourcing, fees.house_fee_bps)
         + pricing.share_half_up(listing.sourcing, fees.merchant_fee_bps) price
     from unnest($1::uuid[], $2::uuid[], $3::ledger.currency[]) asked (account_id, key_id, currency)
     join (values ('USD'::ledger.currency, $4::bigint), ('EUR', $5::bigint)) listing (currency, sourcing) using (currency)
     cross join lateral identity.buy_fees_of(asked.account_id, pricing.default_fee_bps()) fees),
   judged as (
     select p.account_id, p.key_id, p.price, case
       when ledger.balance_of(p.account_id, 'spot') < p.price then 'wallet'
       when trades.would_reach_limit(p.account_id, null, array[p.price], p.currency, $6, $7) then 'account'
       when trades.would_reach_limit(p.account_id, p.key_id, array[p.price], p.currency, $6, $7) then 'key' end bound
     from payer p)
   select ${UNABLE.list} from judged where judged.bound is not null`,
)

/** Those of the payers whose wallet, or whose limit, does not cover what a listing costs them now. */
export const listUnableToPay = (
  db: Queryable,
  payers: readonly Payer[],
  {
    sourcing,
    usdPerEurMicros,
    at,
  }: {
    /** What the market asks, in cents; null: without a rate, which no payer in euros then needs. */
    readonly sourcing: Readonly<Record<Currency, Cents | null>>
    readonly usdPerEurMicros: bigint | null
    readonly at: Date
  },
): Promise<Unable[]> =>
  UNABLE.all(db, UNABLE_TO_PAY, [
    payers.map(({ accountId }) => accountId),
    payers.map(({ keyId }) => keyId),
    payers.map(({ currency }) => currency),
    ...[sourcing.USD, sourcing.EUR, usdPerEurMicros, at],
  ])
