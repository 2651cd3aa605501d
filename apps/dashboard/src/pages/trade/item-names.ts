// What a trade and its items are called: two items may have the same name.
import type { Trade, TradeItem } from '@tradepost/contract'
import { itemName } from '../../kit/item-name.ts'
import { texts } from '../../texts/texts.ts'

const words = texts.merchant.trades

type Items = Pick<Trade, 'items'>

/** Its first item, and how many more there are. */
export function titleOfTrade({ items: [first, ...others] }: Items): string {
  const name = nameOf(first)
  return others.length === 0 ? name : `${name} ${words.more(others.length)}`
}

/** Its number in a trade of several, and its name. */
export const nameOfItem = (trade: Items, item: TradeItem): string =>
  [numbersOf(trade).get(item.id), nameOf(item)].filter(Boolean).join(' · ')

/** Of each item, by its id; null for the only one of its trade. */
export const numbersOf = ({ items }: Items): ReadonlyMap<string, string | null> =>
  new Map(items.map(({ id }, i) => [id, items.length > 1 ? words.itemNumber(i + 1) : null]))

const nameOf = (item: TradeItem | undefined): string =>
  item === undefined || item.marketHashName === null
    ? words.unnamed
    : itemName({ ...item, marketHashName: item.marketHashName })
