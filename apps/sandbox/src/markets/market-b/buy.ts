import type { FastifyReply } from 'fastify'
import { integer, one, type Query } from '../../http/query.ts'
import { cut, sendHtml } from '../../http/reply.ts'
import { parseTradePartner } from '../../platform/persona.ts'
import { cheapestOf } from '../orders.ts'
import { type BrokenAnswer, type PurchaseCall, purchase } from '../purchase.ts'
import type { MarketBDeps } from './deps.ts'
import { unlockAt } from './listing-view.ts'
import { type MarketBRefusal, refusalWords, say } from './messages.ts'
import type { MarketBNames } from './names.ts'
import type { RefusedRows } from './refused-rows.ts'
import { tradeIdOf } from './trade-view.ts'

const MOST_PROJECT_ID_CHARS = 50

/** Serves `buy-one-p2p` and `buy-one-p2p-name`. */
export type MarketBBuy = (options: {
  readonly query: Query
  readonly account: string
  readonly by: 'id' | 'name'
  readonly reply: FastifyReply
}) => Promise<unknown>

export function createMarketBBuy(
  deps: MarketBDeps,
  parts: { readonly names: MarketBNames; readonly refusedRows: RefusedRows },
): MarketBBuy {
  let turn = 0
  const keepRefusedRow = (call: PurchaseCall): void => addRefusedRow(call, deps, parts)

  return async ({ query, account, by, reply }) => {
    const call = readCall(query, { account, by, deps, names: parts.names })
    if ('success' in call) return call
    const answer = await purchase(call, { ...deps, keepRefusedRow })
    turn += 1
    switch (answer.kind) {
      case 'accepted': {
        const { paidMills, quotedMills = paidMills } = answer.order
        return { success: true, id: tradeIdOf(answer.order), price: quotedMills }
      }
      case 'accepted_without_id':
        return { success: true }
      case 'refused':
        return refusalWords(answer.refusal, turn)
      case 'refused_strangely':
        return {
          ...say('System busy'),
          ...(answer.order === null ? {} : { id: tradeIdOf(answer.order) }),
        }
      case 'broken':
        return sendBroken(reply, answer.answer, turn)
      case 'cut':
        cut(reply)
        return reply
    }
  }
}

function readCall(
  query: Query,
  options: {
    readonly account: string
    readonly by: 'id' | 'name'
    readonly deps: MarketBDeps
    readonly names: MarketBNames
  },
): PurchaseCall | MarketBRefusal {
  const ceilingMills = integer(query, 'price')
  if (ceilingMills === undefined || ceilingMills === null) return say('Invalid price')
  const customId = one(query, 'project_id') ?? null
  if (customId !== null && customId.length > MOST_PROJECT_ID_CHARS) return say('Invalid project_id')
  const target = readTarget(query, options)
  if (target === null) return say(options.by === 'id' ? 'Invalid item_id' : 'Invalid name')
  return {
    market: 'market_b',
    account: options.account,
    target,
    ceilingMills,
    buyer: parseTradePartner(one(query, 'partner'), one(query, 'token')),
    customId,
    onKnownCustomId: options.deps.settings.repeatedProjectId,
  }
}

/** Trade locked listings count as sold, because they cannot be delivered. */
function readTarget(
  query: Query,
  { by, deps, names }: { by: 'id' | 'name'; deps: MarketBDeps; names: MarketBNames },
): PurchaseCall['target'] | null {
  if (by === 'name') {
    const name = one(query, 'name')
    if (name === undefined) return null
    const candidates = names.listingsNamed(name)
    return { candidates: candidates.filter((listing) => unlockAt(listing, deps.settings) === null) }
  }
  const listingId = one(query, 'item_id')
  if (listingId === undefined) return null
  const listing = deps.keeper.dataset.listing('market_b', listingId)
  const isLocked = listing !== undefined && unlockAt(listing, deps.settings) !== null
  return isLocked ? { candidates: [] } : { listingId }
}

function addRefusedRow(
  call: PurchaseCall,
  { keeper, clock }: MarketBDeps,
  { names, refusedRows }: { readonly names: MarketBNames; readonly refusedRows: RefusedRows },
): void {
  if (call.customId === null || call.buyer === null) return
  const listing =
    'listingId' in call.target
      ? keeper.dataset.listing('market_b', call.target.listingId)
      : cheapestOf(call.target.candidates)
  refusedRows.add({
    account: call.account,
    customId: call.customId,
    name: listing === undefined || listing === null ? '' : names.nameOf(listing.asset.item),
    platformId: call.buyer.platformId,
    priceMills: call.ceilingMills,
    atMs: clock.nowMs(),
  })
}

function sendBroken(reply: FastifyReply, answer: BrokenAnswer, turn: number): FastifyReply {
  switch (answer) {
    case 'http_500':
      return sendHtml(reply, 500, '500 Internal Server Error')
    case '502':
      return sendHtml(reply, 502, '502 Bad Gateway')
    case '429':
      return sendTooMany(reply, 1000, turn)
    case '403':
      return reply.code(403).send(say('You need to whitelist your IP'))
    case 'html_200':
      return sendHtml(reply, 200, 'Just a moment...')
  }
}

/** The wait is in a header or in the body, never in both. */
export function sendTooMany(reply: FastifyReply, waitMs: number, turn: number): FastifyReply {
  reply.code(429)
  if (turn % 2 === 0) return reply.send({ msBeforeNext: waitMs })
  return reply
    .header('retry-after', String(Math.ceil(waitMs / 1000)))
    .send(say('Too many requests'))
}
