import type { Refusal } from '../orders.ts'

/** A refusal as market B sends it: HTTP 200 and a text. */
export interface MarketBRefusal {
  readonly success: false
  readonly msg: string
  readonly new_price?: number
}

/** Chooses between texts that mean the same by `turn`, so that callers meet them all in time. */
export function refusalWords(refusal: Refusal, turn: number): MarketBRefusal {
  switch (refusal.kind) {
    case 'sold_out':
      return say('Item sold')
    case 'price_above_ceiling':
      if (refusal.priceMills === null) return say('Item sold')
      return { ...say('Price changed'), new_price: refusal.priceMills }
    case 'no_funds':
      return say(turn % 2 === 0 ? 'noFunds' : 'not enough balance')
    case 'link_invalid':
      return say(turn % 2 === 0 ? 'Invalid tradelink' : 'invalid buyer tradelink')
    case 'inventory_private':
      return say(PRIVATE_INVENTORY)
    case 'trade_banned':
      return say(TRADE_BANNED)
    case 'buyer_blocked':
      return say(BUYER_BLOCKED)
    case 'custom_id_taken':
      return say('projectId already exists')
    default:
      throw new Error(`no words for ${JSON.stringify(refusal satisfies never)}`)
  }
}

export const PRIVATE_INVENTORY =
  "We couldn't validate your trade link, either your inventory is private or you can't trade"
export const TRADE_BANNED = 'User has VACBAN or Game Ban'
export const BUYER_BLOCKED = "You're banned for not accepting trades"

export function say(msg: string): MarketBRefusal {
  return { success: false, msg }
}
