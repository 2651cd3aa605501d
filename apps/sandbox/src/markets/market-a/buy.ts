import type { FastifyReply } from 'fastify'
import type { Listing } from '../../dataset/types.ts'
import { integer, one, type Query } from '../../http/query.ts'
import { cut, sendHtml } from '../../http/reply.ts'
import { parseTradePartner } from '../../platform/persona.ts'
import { type BrokenAnswer, type PurchaseCall, purchase } from '../purchase.ts'
import type { MarketADeps } from './deps.ts'
import { chanceToTransfer } from './listing-view.ts'
import { chanceTooLow, type MarketARefusal, refusalWords, wrongCall } from './messages.ts'
import { itemIdOf } from './order-view.ts'

const MOST_CUSTOM_ID_CHARS = 50

/** A plain `buy` delivers to the account's own owner; this is who that is here. */
const OWNER_PARTNER = '1'
const OWNER_TOKEN = 'accept00'

/** Serves `buy` and `buy-for`. */
export type MarketABuy = (options: {
  readonly query: Query
  readonly account: string
  readonly isForOther: boolean
  readonly reply: FastifyReply
}) => Promise<unknown>

export function createMarketABuy(deps: MarketADeps): MarketABuy {
  let turn = 0

  return async ({ query, account, isForOther, reply }) => {
    const call = readCall(query, { account, isForOther, deps })
    if ('success' in call) return call
    const answer = await purchase(call, deps)
    turn += 1
    switch (answer.kind) {
      case 'accepted': {
        // The number of the order comes as text or as a number, the price now and then as text.
        const { seq, paidMills, quotedMills = paidMills } = answer.order
        const id = itemIdOf(answer.order)
        return {
          success: true,
          id: seq % 2 === 0 ? id : Number(id),
          price: seq % 3 === 0 ? String(quotedMills) : quotedMills,
        }
      }
      case 'accepted_without_id':
        return { success: true }
      case 'refused':
        return refusalWords(answer.refusal, turn)
      case 'refused_strangely':
        return {
          ...wrongCall('Unknown error'),
          ...(answer.order === null ? {} : { id: itemIdOf(answer.order) }),
        }
      case 'broken':
        return sendBroken(reply, answer.answer)
      case 'cut':
        cut(reply)
        return reply
    }
  }
}

function readCall(
  query: Query,
  {
    account,
    isForOther,
    deps,
  }: { readonly account: string; readonly isForOther: boolean; readonly deps: MarketADeps },
): PurchaseCall | MarketARefusal {
  const ceilingMills = integer(query, 'price')
  if (ceilingMills === undefined || ceilingMills === null) return wrongCall('Bad price')
  const customId = one(query, 'custom_id') ?? null
  if (customId !== null && customId.length > MOST_CUSTOM_ID_CHARS) {
    return wrongCall('custom_id is too long')
  }
  const target = readTarget(query, deps)
  if (target === null) return wrongCall('hash_name or id is missing')
  if (target === 'chance_too_low') return chanceTooLow()
  const buyer = isForOther
    ? parseTradePartner(one(query, 'partner'), one(query, 'token'))
    : parseTradePartner(OWNER_PARTNER, OWNER_TOKEN)
  return {
    market: 'market_a',
    account,
    target,
    ceilingMills,
    buyer,
    customId,
    onKnownCustomId: deps.settings.repeatedCustomId,
  }
}

/** A purchase by id never swaps the listing for another; one by name takes the cheapest. */
function readTarget(
  query: Query,
  { keeper }: MarketADeps,
): PurchaseCall['target'] | 'chance_too_low' | null {
  const leastChance = integer(query, 'chance_to_transfer') ?? 0
  const isLikely = (listing: Listing): boolean => chanceToTransfer(listing) >= leastChance
  const listingId = one(query, 'id')
  if (listingId !== undefined) {
    const listing = keeper.dataset.listing('market_a', listingId)
    return listing === undefined || isLikely(listing) ? { listingId } : 'chance_too_low'
  }
  const name = one(query, 'hash_name')
  if (name === undefined) return null
  const listings = keeper.dataset.listingsOf('market_a', name)
  const candidates = listings.filter(isLikely)
  return listings.length > 0 && candidates.length === 0 ? 'chance_too_low' : { candidates }
}

function sendBroken(reply: FastifyReply, answer: BrokenAnswer): FastifyReply {
  switch (answer) {
    case 'http_500':
      return sendHtml(reply, 500, '500 Internal Server Error')
    case '502':
      return sendHtml(reply, 502, '502 Bad Gateway')
    case '429':
      return sendHtml(reply.header('retry-after', '1'), 429, '429 Too Many Requests')
    case '403':
      return sendHtml(reply, 403, '403 Forbidden')
    case 'html_200':
      return sendHtml(reply, 200, 'Technical works')
  }
}
