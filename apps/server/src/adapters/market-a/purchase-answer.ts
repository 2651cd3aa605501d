// Market A's answers to a purchase, as the port states them. A pure table: the supplier's list of codes and
// texts, in both languages. What is not on the list is unknown, because money may have moved.
import { cut } from '#kernel/text'
import type { FailureCode, PurchaseAnswer } from '#ports/buying'
import {
  type Fields,
  flagOf,
  idOf,
  own,
  priceOf,
  servedOf,
  smallIntegerOf,
  textOf,
} from '../shared/reader.ts'

export interface ReadPurchase {
  readonly answer: Exclude<PurchaseAnswer, { kind: 'not-sent' }>
  /** The market says "nothing at this price" for a listing that is gone and for one that costs more. */
  readonly isPriceOrGone: boolean
}

interface Verdict {
  readonly code: FailureCode
  readonly alarm?: true
  readonly account?: 'no_funds' | 'forbidden'
  readonly isPriceOrGone?: true
}

const BY_CODE: ReadonlyMap<number, Verdict | 'unknown'> = new Map<number, Verdict | 'unknown'>([
  [2, 'unknown'],
  [3, { code: 'MARKET_UNAVAILABLE' }],
  [20, { code: 'MARKET_UNAVAILABLE' }],
  [5, { code: 'TRADE_URL_INVALID' }],
  [12, { code: 'TRADE_URL_INVALID' }],
  [6, { code: 'STEAM_ACCOUNT_RESTRICTED' }],
  [7, { code: 'STEAM_ACCOUNT_RESTRICTED' }],
  [8, { code: 'STEAM_ACCOUNT_RESTRICTED' }],
  [21, { code: 'STEAM_ACCOUNT_RESTRICTED' }],
])

/** In this order: a text about the recipient may begin like one about us. */
const BY_TEXT: readonly (readonly [RegExp, Verdict])[] = [
  [/из-за не ?принятия большого кол-ва обменов/, { code: 'BUYER_TRADE_RESTRICTED' }],
  [
    /no item was found at the specified price|price or (lower|below)|по указанной цене или ниже/,
    { code: 'LISTING_UNAVAILABLE', isPriceOrGone: true },
  ],
  [/предложение устарело|the offer has ended|кто-то уже покупает/, { code: 'LISTING_UNAVAILABLE' }],
  [/^неверная ссылка для обмена|^invalid trade link/, { code: 'TRADE_URL_INVALID' }],
  [
    /нужно сначала открыть инвентарь|first you must open your inventory|^bad_token_inv_closed/,
    { code: 'TRADE_URL_INVALID' },
  ],
  // Of the recipient: the market's bot cannot send to an account without offline trades.
  [
    /^ошибка проверки ссылки|^error verifying link|reason vacban or game ban/,
    { code: 'STEAM_ACCOUNT_RESTRICTED' },
  ],
  [/^бот забанен/, { code: 'MARKET_UNAVAILABLE' }],
  [/^item search error/, { code: 'PURCHASE_FAILED' }],
  [
    /^not money|not enough funds on account|недостаточно средств/,
    { code: 'MARKET_UNAVAILABLE', alarm: true, account: 'no_funds' },
  ],
  [/вы не можете покупать/, { code: 'MARKET_UNAVAILABLE', alarm: true }],
]

const BAD_KEY = /^bad[ _]key/

/** True for the answer that says our key is worthless: every call fails until an operator steps in. */
export const isBadKey = (body: Fields): boolean => BAD_KEY.test(plain(textOf(own(body, 'error'))))

export function readPurchaseAnswer(status: number, body: unknown): ReadPurchase {
  const fields = servedOf({ status, body })
  if (fields === null) return unknown(`status ${status} without an object to read`)
  const success = flagOf(own(fields, 'success'))
  const orderId = idOf(own(fields, 'id'))
  if (success === true) {
    if (orderId === null) return unknown('success without an order id')
    return {
      answer: { kind: 'accepted', orderId, paidMills: priceOf(own(fields, 'price')) },
      isPriceOrGone: false,
    }
  }
  const detail = detailOf(fields)
  if (success === null) return unknown(`no success flag: ${detail}`)
  if (orderId !== null) return unknown(`failure with order id ${orderId}: ${detail}`)
  return readRefusal(fields, detail)
}

const OF_THE_KEY: Verdict = { code: 'MARKET_UNAVAILABLE', alarm: true, account: 'forbidden' }

function readRefusal(fields: Fields, detail: string): ReadPurchase {
  const code = smallIntegerOf(own(fields, 'code'))
  const text = plain(textOf(own(fields, 'error')))
  const verdict =
    (code === null ? undefined : BY_CODE.get(code)) ??
    (isBadKey(fields) ? OF_THE_KEY : undefined) ??
    BY_TEXT.find(([pattern]) => pattern.test(text))?.[1]
  if (verdict === undefined || verdict === 'unknown') return unknown(detail)
  return {
    answer: {
      kind: 'refused',
      code: verdict.code,
      detail,
      ...(verdict.alarm === true ? { alarm: true } : {}),
      ...(verdict.account && { account: verdict.account }),
    },
    isPriceOrGone: verdict.isPriceOrGone === true,
  }
}

const unknown = (detail: string): ReadPurchase => ({
  answer: { kind: 'unknown', detail },
  isPriceOrGone: false,
})

function plain(text: string | null): string {
  return (text ?? '').trim().toLowerCase().replace(/\s+/g, ' ')
}

/** The supplier's own text, short enough for a column. */
export function detailOf(fields: Fields): string {
  const error = textOf(own(fields, 'error')) ?? 'no text'
  const code = textOf(own(fields, 'code'))
  return cut(`${code === null ? '' : `${code}: `}${error}`, 500)
}
