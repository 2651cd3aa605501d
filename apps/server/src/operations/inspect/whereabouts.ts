// Where the money of a trade and each of its items are now, from the postings and the last known states.
import type { BuyInspection } from '#buying'
import { type Cents, type Currency, cents } from '#kernel/money'
import type { PostingAbout } from '#ledger'
import type { SellInspection } from '#selling'
import type { Trade, TradeItem } from '#trades'

/** What of the trade's money an account holds: what came in less what went out. */
export interface MoneyAt {
  /** The kind of account in the ledger: `escrow`, `spot`, `supplier_prefund` … */
  readonly account: string
  readonly amount: Cents
  readonly currency: Currency
}

/** Accounts that hold more by this trade than before it; empty when all of it is back where it came from. */
export function moneyOf(postings: readonly PostingAbout[]): MoneyAt[] {
  const nets = new Map<string, MoneyAt>()
  const add = (account: string, currency: Currency, amount: bigint): void => {
    const key = `${account} ${currency}`
    const before = nets.get(key)?.amount ?? 0n
    nets.set(key, { account, currency, amount: cents(before + amount) })
  }
  for (const { debit, credit, currency, amount } of postings) {
    add(debit, currency, -amount)
    add(credit, currency, amount)
  }
  return [...nets.values()].filter(({ amount }) => amount > 0n)
}

export const ITEM_PLACES = {
  not_ordered: 'still with its seller; no order was sent yet',
  being_ordered: 'an order was sent, and its supplier’s answer is not known yet',
  with_seller: 'ordered, still with its seller',
  offered: 'offered to the buyer, who has not accepted yet',
  protected: 'with the buyer, who or whose supplier can still reverse the delivery',
  delivered: 'delivered; can no longer be reversed',
  taken_back: 'taken back by the supplier',
  returned: 'sent back by the user',
  declined: 'back with its seller, as the buyer declined the offer or let it expire',
  not_bought: 'never bought: still with its seller, or gone',
  orphaned: 'bought after its item had ended: it is ours, and a case is open',
  with_user: 'with the user who offered it for sale',
  asked_for: 'with the user; an offer of our bot is out',
  with_bot_protected: 'with our bot; the user can still reverse it',
  with_bot: 'with our bot; can no longer be reversed',
} as const
export type ItemPlace = keyof typeof ITEM_PLACES

export function placeOf(
  item: TradeItem,
  { trade, buy }: { readonly trade: Trade; readonly buy: BuyInspection['items'] },
): ItemPlace {
  if (trade.type === 'sell') return SOLD[item.status]
  const order = buy.find(({ id }) => id === item.id)?.orders.at(-1)?.state ?? null
  if (order === 'orphan') return 'orphaned'
  if (item.status === 'initiated') {
    return order === 'placing' || order === 'unknown' ? 'being_ordered' : 'not_ordered'
  }
  if (item.status === 'reverted') return item.revertedBy === 'user' ? 'returned' : 'taken_back'
  return BOUGHT[item.status]
}

const BOUGHT = {
  pending: 'with_seller',
  active: 'offered',
  hold: 'protected',
  completed: 'delivered',
  declined: 'declined',
  canceled: 'not_bought',
  failed: 'not_bought',
} as const satisfies Partial<Record<TradeItem['status'], ItemPlace>>

const SOLD = {
  initiated: 'with_user',
  pending: 'with_user',
  active: 'asked_for',
  hold: 'with_bot_protected',
  completed: 'with_bot',
  reverted: 'returned',
  declined: 'with_user',
  canceled: 'with_user',
  failed: 'with_user',
} as const satisfies Record<TradeItem['status'], ItemPlace>

/** The bot that carries each item of a sell. */
export const botOf = (item: TradeItem, sell: SellInspection | null): string | null => {
  const intent = sell?.items.find(({ id }) => id === item.id)?.offerIntentId
  return sell?.offers.find(({ offerIntentId }) => offerIntentId === intent)?.botId ?? null
}
