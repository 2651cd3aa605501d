// Races of one hostile merchant: what must not happen twice is asked for many times at once, beside what
// contradicts it.

import assert from 'node:assert/strict'
import { type Db, sql } from '../../../../apps/server/src/infra/database/db.ts'
import type { Answer, Client } from '../../../support/client.ts'
import { tradeUrl } from '../../../support/trading.ts'
import { type Dice, pickWith } from '../../dice.ts'

const FOR_SALE = sql(
  'attack_for_sale',
  `select market, raw_id, item_id from catalog.listing
   where live and not taken and price_mills between 100 and 3000 order by random() limit $1`,
)
const FOR_SALE_AT = sql(
  'attack_for_sale_at',
  `select market, raw_id, item_id from catalog.listing
   where live and not taken and market = $1 and price_mills between 100 and 3000 order by random() limit $2`,
)
const TRADES_OF = sql(
  'attack_trades_of',
  `select t.external_id, count(*)::int count from trades.trade t join identity.account a on a.id = t.account_id
   where a.external_id = $1 group by 1`,
)
const FUNDED = sql(
  'attack_funded',
  `select count(*)::int count from identity.account a
   join ledger.journal j on j.scope_id = a.id and j.idempotency_key = 'fund:' || $1`,
)
/** How often money was moved under a key, in whatever scope. */
export async function countFundings(db: Db, key: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(FUNDED, [key])
  return row?.count ?? 0
}

export interface ForSale {
  readonly market: string
  readonly raw_id: string
  readonly item_id: string
}

export const listForSale = (db: Db, limit: number): Promise<ForSale[]> =>
  db.query<ForSale>(FOR_SALE, [limit])

export const listForSaleAt = (db: Db, market: string, limit: number): Promise<ForSale[]> =>
  db.query<ForSale>(FOR_SALE_AT, [market, limit])

export interface Known {
  /** Trades and sub-users of the hostile merchant, newest last. */
  readonly tradeIds: string[]
  readonly subUserIds: string[]
}

const REMEMBERED = 200
const TOKENS = ['accept00', 'accept00', 'declin00', 'expire00', 'slowly00', 'rvuser00', 'banned00']

/** One round; returns how many requests it made. */
export async function race(
  { merchant, db, known }: { readonly merchant: Client; readonly db: Db; readonly known: Known },
  { round, throwDice }: { readonly round: number; readonly throwDice: Dice },
): Promise<number> {
  const pick = pickWith(throwDice)
  const behalf = `racer-${round}`
  const created = await merchant.call('createSubUser', { body: { externalId: behalf } })
  const id = created.data?.id ?? ''
  const opening = { params: { id }, body: { amount: '30.00' }, idempotencyKey: `open-${round}` }
  const funded = created.data && (await merchant.call('fundSubUser', opening))
  // A flood beside it may have used up the budget: then the next round.
  if (!funded?.data) return 1
  remember(known.subUserIds, id)
  const listings = await listForSale(db, 4)
  assert.ok(listings.length > 0, 'there is something for sale')
  const token = pick(TOKENS)
  const partner = 80_000_000 + round
  const buy = (listing: ForSale, externalId: string, maxPrice = '900.00') =>
    merchant.call('buy', {
      behalf,
      body: {
        externalId,
        tradeUrl: tradeUrl(token, partner),
        items: [{ listingRawId: `${listing.market}:${listing.raw_id}`, maxPrice }],
      },
    })
  const [one, two] = [listings[0] as ForSale, listings.at(-1) as ForSale]
  const money = (route: 'fundSubUser' | 'defundSubUser', amount: string, key: string) =>
    merchant.call(route, { params: { id }, body: { amount }, idempotencyKey: key })
  const cancel = () => {
    const tradeId = known.tradeIds.at(-1)
    return tradeId === undefined
      ? merchant.call('getWallet', { behalf })
      : merchant.call('cancelTrade', { params: { tradeId }, behalf: pick(known.subUserIds) })
  }
  const works: (() => Promise<Answer<unknown>>)[] = [
    ...Array.from({ length: 4 }, () => () => buy(one, `race-${round}`)),
    () => buy(two, `race-${round}`),
    () => buy(two, `other-${round}`),
    () => buy(two, `other-${round}`, '899.00'),
    ...Array.from({ length: 3 }, () => () => money('fundSubUser', '5.00', `once-${round}`)),
    () => money('fundSubUser', '5.01', `once-${round}`),
    ...Array.from({ length: 4 }, (_, i) => () => money('defundSubUser', '9.00', `d-${round}-${i}`)),
    cancel,
    cancel,
    () =>
      merchant.call('quickBuy', {
        behalf,
        body: {
          itemId: one.item_id,
          maxPrice: '10.00',
          amount: 2,
          delivery: 'standard',
          tradeUrl: tradeUrl(token, partner),
        },
      }),
    () => merchant.call('suspendSubUser', { params: { id } }),
    () => merchant.call('reactivateSubUser', { params: { id } }),
    ...(throwDice() < 0.3 ? [() => merchant.call('deleteSubUser', { params: { id } })] : []),
  ]
  const order = works
    .map((work) => ({ work, place: throwDice() }))
    .sort((left, right) => left.place - right.place)
  const answers = await Promise.all(order.map(({ work }) => work()))
  for (const { status, error, data } of answers) {
    assert.ok(status < 500 || status === 503, `a race is answered ${status} ${error?.key}`)
    if (data !== null && typeof data === 'object' && 'totalPrice' in data && 'id' in data) {
      remember(known.tradeIds, String(data.id))
    }
  }
  for (const { external_id, count } of await db.query<{ external_id: string; count: number }>(
    TRADES_OF,
    [behalf],
  )) {
    if (external_id !== null) assert.equal(count, 1, `${external_id} made ${count} trades`)
  }
  const booked = await countFundings(db, `once-${round}`)
  assert.ok(booked <= 1, `once-${round} was booked ${booked} times`)
  return answers.length
}

function remember(list: string[], value: string): void {
  if (list.includes(value)) return
  list.push(value)
  if (list.length > REMEMBERED) list.shift()
}
