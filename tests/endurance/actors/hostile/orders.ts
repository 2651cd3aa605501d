// Merchants that fill what they may have waiting at the markets with cheap items and cancel them again, in a
// loop; and preflights without end, each for a recipient that the platform has to be asked about.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, sql } from '../../../../apps/server/src/infra/database/db.ts'
import type { Answer, Client } from '../../../support/client.ts'
import { tradeUrl } from '../../../support/trading.ts'
import { type Dice, type Pick, pickWith } from '../../dice.ts'
import type { AttackDeps } from './deps.ts'
import { type ForSale, listForSale } from './races.ts'
import { inTurns } from './tally.ts'

const MOST_FOR_SALE = sql(
  'attack_most_for_sale',
  `select item_id from catalog.listing
   where live and not taken and price_mills between 100 and 3000
   group by item_id order by count(*) desc limit 30`,
)

/** An attacker reads the market from outside: here it shall not occupy the service's database for that. */
const LOOK_AGAIN_MS = 10_000
let looked: { readonly at: number; readonly items: readonly string[] } | null = null

/** Items with the most cheap listings: one quick-buy takes up to 200 of one. */
export async function listCommonItems(db: Db): Promise<readonly string[]> {
  if (looked !== null && Date.now() - looked.at < LOOK_AGAIN_MS) return looked.items
  const rows = await db.query<{ item_id: string }>(MOST_FOR_SALE)
  looked = { at: Date.now(), items: rows.map(({ item_id }) => item_id) }
  return looked.items
}

export interface Orders {
  /** One merchant buys as much as it may, looks around, and cancels all of it. */
  step(): Promise<void>
  /** Cancels what is left; what was sent to a market by then goes its way. */
  cancelAll(): Promise<void>
}

const QUICK_BUYS = 3
const BUYS = 6
const ITEMS_A_BUY = 10
const STEPS_A_LOOK = 10
const PREFLIGHTS = 6
const AT_ONCE = 6
const CANCEL_ATTEMPTS = 30

interface OrdersDeps extends AttackDeps {
  readonly merchants: readonly Client[]
  readonly db: Db
}

export function createOrders({ merchants, db, tally, throwDice }: OrdersDeps): Orders {
  const pick = pickWith(throwDice)
  /** Trades that were accepted and not canceled yet. */
  const held = new Map<string, Client>()
  let stock: ForSale[] = []
  const remember = (merchant: Client, { data }: Answer<{ readonly id: string }>): void => {
    if (data) held.set(data.id, merchant)
  }
  const cancel = async (tradeId: string): Promise<void> => {
    const merchant = held.get(tradeId)
    if (merchant === undefined) return
    const answer = await merchant.call('cancelTrade', { params: { tradeId } })
    const { error } = tally.served('cancels', answer)
    if (error?.key !== 'RATE_LIMITED' && answer.status !== 503) held.delete(tradeId)
  }
  const cancelHeld = (): Promise<unknown> =>
    inTurns(
      AT_ONCE,
      [...held.keys()].map((tradeId) => () => cancel(tradeId)),
    )
  return {
    step: async () => {
      const merchant = pick(merchants)
      const items = await listCommonItems(db)
      if (stock.length === 0) stock = await listForSale(db, STEPS_A_LOOK * BUYS * ITEMS_A_BUY)
      const listings = stock.splice(0, BUYS * ITEMS_A_BUY)
      const works = [
        ...Array.from({ length: QUICK_BUYS }, () => async () => {
          const body = quickBuyOf(pick(items), throwDice)
          remember(merchant, tally.served('quick-buys', await merchant.call('quickBuy', { body })))
        }),
        ...Array.from({ length: BUYS }, (_, i) => async () => {
          const chosen = listings.slice(i * ITEMS_A_BUY, (i + 1) * ITEMS_A_BUY)
          if (chosen.length === 0) return
          const body = buyOf(chosen, { pick, throwDice })
          remember(merchant, tally.served('buys of ten', await merchant.call('buy', { body })))
        }),
        ...Array.from({ length: PREFLIGHTS }, () => async () => {
          const body = buyOf(listings.slice(0, ITEMS_A_BUY), { pick, throwDice })
          tally.served('preflights', await merchant.call('preflightBuy', { body }))
        }),
      ]
      await inTurns(AT_ONCE, works)
      await cancelHeld()
    },
    cancelAll: async () => {
      for (let i = 0; held.size > 0 && i < CANCEL_ATTEMPTS; i++) {
        await cancelHeld()
        if (held.size > 0) await sleep(2000)
      }
    },
  }
}

/** Each recipient is another one, so that nothing that is remembered helps. */
const newRecipient = (throwDice: Dice): number => 100_000_000 + Math.floor(throwDice() * 4e8)

const quickBuyOf = (itemId: string, throwDice: Dice) => ({
  ...{ itemId, maxPrice: '5.00', amount: 1 + Math.floor(throwDice() * 200) },
  ...{ delivery: 'standard', tradeUrl: tradeUrl('accept00', newRecipient(throwDice)) },
})

const TOKENS = ['accept00', 'accept00', 'slowly00', 'expire00', 'privat00', 'banned00', 'holdup00']

const buyOf = (
  listings: readonly { readonly market: string; readonly raw_id: string }[],
  { pick, throwDice }: { readonly pick: Pick; readonly throwDice: Dice },
) => ({
  tradeUrl: tradeUrl(pick(TOKENS), newRecipient(throwDice)),
  items: listings.map(({ market, raw_id }) => ({
    listingRawId: `${market}:${raw_id}`,
    maxPrice: '900.00',
  })),
})
