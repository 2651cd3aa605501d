// What the merchant buys after the copy, by its own log, and sends again.
import assert from 'node:assert/strict'
import {
  adoptAll,
  buyByTurns,
  compareLost,
  type LoggedBuy,
  sendAgain,
} from '../endurance/actors/after-restore.ts'
import type { OwnInstallation } from '../endurance/worlds/installation.ts'
import { aBuyer, balanceOf, centsOf, tradeUrl, untilStatus } from '../support/trading.ts'

type Trading = Pick<OwnInstallation, 'merchant' | 'sandbox'>

/** A sub-user of the copy, and one that is made after it. */
const KEPT = 'kept-user'
const LOST = 'lost-user'
const FUNDS = '7000.00'
const MORE = '25.00'

export interface LostTrades {
  readonly buys: readonly LoggedBuy[]
  readonly quickBuy: { readonly externalId: string; readonly itemId: string }
  /** Of the sub-user of the copy, with what it was funded with after the copy, before the buys. */
  readonly fundedCents: number
}

export const buyBeforeCopy = async (trading: Trading): Promise<void> => {
  await aBuyer(trading.merchant, KEPT, FUNDS)
  await finish(trading, await buyByTurns(trading, { name: 'before', count: 4, behalves: [KEPT] }))
}

/** Its log is archived: the restore has it. */
export const buyBetween = async (trading: Trading): Promise<LoggedBuy[]> => {
  const buys = await buyByTurns(trading, { name: 'between', count: 2, behalves: [undefined] })
  await finish(trading, buys)
  return buys
}

export async function buyAfterCopy(trading: Trading, count: number): Promise<LostTrades> {
  const { merchant } = trading
  await aBuyer(merchant, LOST, FUNDS)
  const fundedCents = await fundMore(trading)
  const behalves = [undefined, LOST, KEPT]
  const buys = await buyByTurns(trading, { name: 'lost', count, behalves })
  const { items } = await merchant.get('listPrices', { query: { limit: -1 } })
  const item = items.find(
    ({ listingsCount, price }) => listingsCount > 2 && (price?.standard ?? 0) > 1,
  )
  assert.ok(item, 'something is for sale more than twice')
  const quickBuy = { externalId: 'lost-quick-buy', itemId: item.id }
  const receipt = await merchant.get('quickBuy', { body: quickBuyBody(quickBuy) })
  await finish(trading, [...buys, { receipt }])
  return { buys, quickBuy, fundedCents }
}

const finish = async (
  { merchant }: Trading,
  bought: readonly { readonly receipt: { readonly id: string } }[],
): Promise<void> => {
  for (const { receipt } of bought) await untilStatus(merchant, receipt.id, ['completed'])
}

const fundMore = async ({ merchant }: Trading): Promise<number> => {
  await merchant.get('fundSubUser', {
    ...{ params: { id: KEPT }, body: { amount: MORE } },
    idempotencyKey: 'fund-after-the-copy',
  })
  return centsOf(await balanceOf(merchant, KEPT))
}

const quickBuyBody = ({ externalId, itemId }: LostTrades['quickBuy']) => ({
  ...{ externalId, itemId, amount: 1, delivery: 'standard', maxPrice: '900.00' },
  tradeUrl: tradeUrl(),
})

/** Everything of the merchant's log, in its order: sub-users, funds, buys. */
export async function sendAllAgain(
  trading: Trading,
  { buys, quickBuy, fundedCents }: LostTrades,
  { hasIntents }: { readonly hasIntents: boolean },
): Promise<void> {
  const { merchant } = trading
  await aBuyer(merchant, LOST, FUNDS)
  assert.equal(await fundMore(trading), fundedCents, 'what was funded is there once')
  if (!hasIntents) {
    // Nothing says whose they were: what is sold is refused as for any buy.
    for (const one of buys) {
      const { error } = await sendAgain(merchant, one)
      assert.ok(error, `${one.externalId} is not bought again`)
    }
    return
  }
  await compareLost(merchant, [...buys, quickBuy])
  await adoptAll(merchant, buys)
  await merchant.refused('MARKET_UNAVAILABLE', 'quickBuy', { body: quickBuyBody(quickBuy) })
}

/** Business goes on: both markets sell. */
export const buyAnew = async (trading: Trading): Promise<number> => {
  const buys = await buyByTurns(trading, { name: 'anew', count: 2, behalves: [KEPT] })
  await finish(trading, buys)
  return buys.length
}
