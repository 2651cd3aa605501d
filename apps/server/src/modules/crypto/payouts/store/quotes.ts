// SQL of quotes: the rate and fee that withdrawals of a merchant use while its quote is valid.
import { type Queryable, sql } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { cents } from '#kernel/money'
import type { QuotedRate, Request } from '../request.ts'

export type QuotedRequest = Pick<Request, 'chain' | 'token' | 'amountCents'> & {
  readonly merchantId: string
}

interface QuoteRow {
  readonly usdE8: string
  readonly feeCents: bigint
  readonly validUntil: Date
}
const COLUMNS = 'q.usd_e8 "usdE8", q.fee_cents "feeCents", q.valid_until "validUntil"'

const rateOf = ({ usdE8, feeCents }: QuoteRow): QuotedRate => ({
  usdE8: BigInt(usdE8),
  feeCents: cents(feeCents),
})

const VALID = sql(
  'payouts.valid_quotes',
  `select ${COLUMNS}, k.position
   from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) with ordinality
       k (merchant_id, chain, token, amount_cents, position)
     join payouts.quote q on q.merchant_id = k.merchant_id and q.chain = k.chain and q.token = k.token
       and q.amount_cents = k.amount_cents
   where q.valid_until > $5`,
)
/** The quote of each request, in their order; null for one that has none which is valid then. */
export async function readQuotes(
  db: Queryable,
  requests: readonly QuotedRequest[],
  at: Date,
): Promise<(QuotedRate | null)[]> {
  const rows = await db.query<QuoteRow & { position: bigint }>(VALID, [
    requests.map(({ merchantId }) => merchantId),
    requests.map(({ chain }) => chain),
    requests.map(({ token }) => token),
    requests.map(({ amountCents }) => amountCents),
    at,
  ])
  const found = new Map(rows.map((row) => [Number(row.position) - 1, rateOf(row)]))
  return requests.map((_, i) => found.get(i) ?? null)
}

const KEEP = sql(
  'payouts.keep_quote',
  `insert into payouts.quote as q (merchant_id, chain, token, amount_cents, usd_e8, fee_cents, valid_until)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (merchant_id, chain, token, amount_cents) do update
     set usd_e8 = excluded.usd_e8, fee_cents = excluded.fee_cents, valid_until = excluded.valid_until
     where q.valid_until <= $8 returning ${COLUMNS}`,
)
const ONE = sql(
  'payouts.quote_of',
  `select ${COLUMNS} from payouts.quote q
   where q.merchant_id = $1 and q.chain = $2 and q.token = $3 and q.amount_cents = $4`,
)
export interface KeptQuote {
  readonly rate: QuotedRate
  readonly validUntil: Date
}
/** Keeps the rate until then; where a quote of the request is still valid at that time, that one stays. */
export async function keepQuote(
  db: Queryable,
  { merchantId, chain, token, amountCents }: QuotedRequest,
  { rate, validUntil, at }: KeptQuote & { readonly at: Date },
): Promise<KeptQuote> {
  const key = [merchantId, chain, token, amountCents]
  const values = [...key, rate.usdE8, rate.feeCents, validUntil, at]
  const [kept] = await db.query<QuoteRow>(KEEP, values)
  const row = assertDefined(
    kept ?? (await db.query<QuoteRow>(ONE, key))[0],
    'a quote that is valid',
  )
  return { rate: rateOf(row), validUntil: row.validUntil }
}

const PURGE = sql(
  'payouts.purge_quotes',
  `delete from payouts.quote where (merchant_id, chain, token, amount_cents) in (
     select merchant_id, chain, token, amount_cents from payouts.quote where valid_until < $1
     order by valid_until limit 5000 for update skip locked) returning 1`,
)
/** Removes quotes that had ended by then; how many went. */
export const purgeQuotes = async (db: Queryable, before: Date): Promise<number> =>
  (await db.query(PURGE, [before])).length
