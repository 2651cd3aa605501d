// Parts of sentences about a trade, which its account and the operators both read.
import { type Cents, type Currency, formatCents } from '#kernel/money'
import { isTerminal, PLACING_LIMIT_MINUTES, type Trade, type TradeItem } from '#trades'
import type { MoneyAt } from './whereabouts.ts'

export interface ExplainedItem {
  /** Half a sentence. */
  readonly where: string
  /** What happens next; of an item that is over, its outcome. */
  readonly next: string
  readonly isOver: boolean
}

/** Where the money of a trade is; `holders` says what an account of the ledger means for it. */
export function moneySentence(
  { trade, money }: { readonly trade: Trade; readonly money: readonly MoneyAt[] },
  holders: Readonly<Record<string, string>>,
): string {
  if (money.length > 0) {
    const parts = money.map(
      ({ account, amount, currency }) =>
        `${amountOf(amount, currency)} ${holders[account] ?? `in ${account.replaceAll('_', ' ')}`}`,
    )
    return `${parts.join(', ')}.`
  }
  if (trade.type === 'buy') return 'All of it is back in the wallet.'
  return trade.items.every(({ status }) => isTerminal(status))
    ? 'Nothing was paid.'
    : 'Nothing is paid before the hold is over.'
}

/** How an item that is over ended, to be read after the word “outcome”; it begins with `end`. */
export function outcomeOf({ currency }: Trade, item: TradeItem, end: string = item.status): string {
  const { refund } = item
  if (refund === null) return `${end}.`
  const { refunded, penalty } = refund
  const back = refunded > 0n ? `${amountOf(refunded, currency)} went back to the wallet` : ''
  const kept = penalty > 0n ? `${amountOf(penalty, currency)} was kept, as ${faultOf(item)}` : ''
  return `${end}. ${[back, kept].filter(Boolean).join('; ')}.`
}

/** Of an item that is over: nothing more happens to it, nor to its trade once the others are over, too. */
export const finishOf = ({ items }: Trade): string =>
  items.every(({ status }) => isTerminal(status))
    ? 'This trade is finished.'
    : 'This item is finished.'

const faultOf = ({ revertedBy, status }: TradeItem): string =>
  status === 'reverted' && revertedBy === 'user'
    ? 'the user reversed the delivery'
    : 'the offer was declined or expired'

export const holdOf = ({ holdEndsAt }: TradeItem, now: Date): string => {
  if (holdEndsAt === null) return 'The hold has begun.'
  return holdEndsAt > now
    ? `The hold ends at ${timeOf(holdEndsAt)}.`
    : `The hold ended at ${timeOf(holdEndsAt)}.`
}

/** Until then an item is placed, or it fails. */
export const placingLimitOf = ({ createdAt }: Trade): Date =>
  new Date(createdAt.getTime() + PLACING_LIMIT_MINUTES * 60_000)

/** `2026-11-27 12:00:00 UTC`; pages show it in the zone of their reader. */
export const timeOf = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** As the pages write amounts: `$1,234.50`. */
export const amountOf = (amount: Cents, currency: Currency): string =>
  FORMATS[currency].format(formatCents(amount) as `${number}`)

const formatOf = (currency: Currency) =>
  new Intl.NumberFormat('en', { style: 'currency', currency })
const FORMATS = { USD: formatOf('USD'), EUR: formatOf('EUR') } as const satisfies Record<
  Currency,
  Intl.NumberFormat
>
