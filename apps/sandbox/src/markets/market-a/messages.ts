import type { Refusal } from '../orders.ts'

/** A refusal as market A sends it: HTTP 200, a text in one of two languages, mostly a code. */
export interface MarketARefusal {
  readonly success: false
  readonly id: false
  readonly price: null
  readonly error: string
  readonly code: number
}

type Wording = readonly [code: number, text: string]

const GONE: readonly Wording[] = [
  [0, 'No item was found at the specified price or lower.'],
  [0, 'К сожалению, предложение устарело. Обновите страницу.'],
  [0, 'Кто-то уже покупает этот предмет. Попробуйте другой.'],
]

const TOO_DEAR: readonly Wording[] = [
  [0, 'No item was found at the specified price or lower.'],
  [0, 'Предметы по указанной цене или ниже не найдены'],
]

const NO_FUNDS: readonly Wording[] = [
  [0, 'Not money'],
  [0, 'Недостаточно средств на счету'],
  [0, 'Not enough funds on account'],
]

const LINK_INVALID: readonly Wording[] = [
  [12, 'Invalid trade link of the recipient'],
  [12, 'Неверная ссылка для обмена'],
]

const INVENTORY_HIDDEN: readonly Wording[] = [
  [5, 'The inventory of the recipient is hidden'],
  [5, 'Инвентарь получателя скрыт'],
]

const BANNED: readonly Wording[] = [
  [6, 'The recipient is banned from trading'],
  [7, 'У получателя нет мобильного аутентификатора'],
  [8, 'The recipient cannot accept offline trades'],
]

const BLOCKED: readonly Wording[] = [
  [0, 'Покупка для этого пользователя ограничена из-за не принятия большого кол-ва обменов'],
]

const CUSTOM_ID_TAKEN: readonly Wording[] = [[2, 'custom_id is used already']]

const CHANCE_TOO_LOW: Wording = [
  0,
  'No items with the given chance to transfer were found at the price or below',
]

/** Chooses the wording by `turn`, so that callers meet every language in time. */
export function refusalWords(refusal: Refusal, turn: number): MarketARefusal {
  const wordings = wordingsOf(refusal)
  return worded(wordings[turn % wordings.length] ?? CHANCE_TOO_LOW)
}

export function chanceTooLow(): MarketARefusal {
  return worded(CHANCE_TOO_LOW)
}

/** For what the caller did wrong itself; the market's code list has nothing better. */
export function wrongCall(error: string): MarketARefusal {
  return worded([2, error])
}

function wordingsOf(refusal: Refusal): readonly Wording[] {
  switch (refusal.kind) {
    case 'sold_out':
      return GONE
    case 'price_above_ceiling':
      return TOO_DEAR
    case 'no_funds':
      return NO_FUNDS
    case 'link_invalid':
      return LINK_INVALID
    case 'inventory_private':
      return INVENTORY_HIDDEN
    case 'trade_banned':
      return BANNED
    case 'buyer_blocked':
      return BLOCKED
    case 'custom_id_taken':
      return CUSTOM_ID_TAKEN
    default:
      throw new Error(`no words for ${JSON.stringify(refusal satisfies never)}`)
  }
}

function worded([code, error]: Wording): MarketARefusal {
  return { success: false, id: false, price: null, error, code }
}
