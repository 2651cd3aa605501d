// A trade in words for the account that made it: where its money and each item is, and what happens next.
// Suppliers, our orders there and our bots are not named.
import { isTerminal, type Trade, type TradeItem } from '#trades'
import {
  amountOf,
  type ExplainedItem,
  finishOf,
  holdOf,
  moneySentence,
  outcomeOf,
  placingLimitOf,
  timeOf,
} from './sentences.ts'
import type { TradeHistory } from './trade-history.ts'
import { ITEM_PLACES, moneyOf, placeOf } from './whereabouts.ts'

export interface AccountExplanation {
  readonly money: string
  readonly items: ReadonlyMap<string, ExplainedItem>
}

export const explainToAccount = (
  { trade, postings }: Pick<TradeHistory, 'trade' | 'postings'>,
  now: Date,
): AccountExplanation => ({
  money: moneySentence({ trade, money: moneyOf(postings) }, holdersIn(trade)),
  items: new Map(
    trade.items.map((item) => [
      item.id,
      {
        where: whereOf(trade, item),
        next: nextOf(trade, item, now),
        isOver: isTerminal(item.status),
      },
    ]),
  ),
})

const holdersIn = ({ items }: Trade): Readonly<Record<string, string>> => ({
  escrow: 'held in escrow',
  spot: 'in the wallet',
  supplier_prefund: items.length === 1 ? 'paid for the item' : 'paid for the items',
  house_revenue: 'service fee',
  earnings: 'your fee',
  penalty_income: 'kept as a penalty',
})

/** Where the operators' words name a supplier. */
const PLACES: Readonly<Record<string, string>> = {
  ...ITEM_PLACES,
  not_ordered: 'still with its seller',
  protected: 'with the buyer; the delivery can still be reversed',
  taken_back: 'taken back by its seller',
}

const whereOf = (trade: Trade, item: TradeItem): string =>
  PLACES[placeOf(item, { trade, buy: [] })] ?? ''

function nextOf(trade: Trade, item: TradeItem, now: Date): string {
  if (isTerminal(item.status)) return `${outcomeOf(trade, item)} ${finishOf(trade)}`
  return trade.type === 'buy' ? nextOfBuy(trade, item, now) : nextOfSell(trade, item, now)
}

function nextOfBuy(trade: Trade, item: TradeItem, now: Date): string {
  switch (item.status) {
    case 'initiated':
      return `It is being ordered. If it cannot be ordered until ${timeOf(placingLimitOf(trade))}, it fails and its whole price of ${amountOf(item.price, trade.currency)} goes back.`
    case 'pending':
      return 'Its seller has to send the trade offer. If the seller does not, the item fails and its whole price goes back.'
    case 'active':
      return `The buyer has to accept trade offer ${item.offerId ?? ''} on the platform. Accepted, the hold begins; declined or expired, the price less 2% goes back.`
    default:
      return `${holdOf(item, now)} We then check again; if nothing was reversed, the item completes${item.merchantFee > 0n ? ', and your fee is credited' : ''}.`
  }
}

function nextOfSell(trade: Trade, item: TradeItem, now: Date): string {
  switch (item.status) {
    case 'initiated':
      return `A trade offer is prepared. If none can be sent until ${timeOf(placingLimitOf(trade))}, it fails; the item stays with the user.`
    case 'pending':
      return 'The trade offer is being sent.'
    case 'active':
      return `The user has to accept trade offer ${item.offerId ?? ''} on the platform. Accepted, the hold begins; declined or expired, the item stays with the user and nothing is paid.`
    default:
      return `${holdOf(item, now)} We then check again; if nothing was reversed, the proceeds are paid into the wallet.`
  }
}
