import { integer, many, one, type Query } from '../../http/query.ts'
import { behaviourOf, parseTradePartner, personaOf } from '../../platform/persona.ts'
import type { Order } from '../order.ts'
import type { MarketBDeps } from './deps.ts'
import { BUYER_BLOCKED, PRIVATE_INVENTORY, say, TRADE_BANNED } from './messages.ts'
import type { MarketBNames } from './names.ts'
import type { RefusedRows } from './refused-rows.ts'
import {
  seqOfTradeId,
  viewHistoryRow,
  viewMyHistoryRow,
  viewRefusedRow,
  viewTrade,
} from './trade-view.ts'

type Answer = Record<string, unknown>

/** Everything that reads orders, money and trade links. */
export interface MarketBAccount {
  user(account: string): Answer
  checkTradeLink(body: unknown): Answer
  checkProjectIds(query: Query, account: string): Answer
  checkTradeIds(query: Query, account: string): Answer
  history(query: Query, account: string): Answer
  /** By the window of its body; it knows no ids of ours. */
  myHistory(body: unknown, account: string): Answer
}

const MOST_IDS = 100
const HISTORY_ROWS = 50
const MY_HISTORY_ROWS = 100
const MY_HISTORY_SKIP = 1_000

/** The account's own name on the platform, for what the market shows of it. */
const OWNER_PARTNER = 1

export function createMarketBAccount(
  deps: MarketBDeps,
  { names, refusedRows }: { readonly names: MarketBNames; readonly refusedRows: RefusedRows },
): MarketBAccount {
  const { clock, orders, accounts, faults, settings } = deps
  const isVisible = (order: Order): boolean =>
    !faults.areLookupsBlind('market_b') && order.hiddenUntilMs <= clock.nowMs()
  const view = (order: Order): Answer => viewTrade(order, { names, settings })

  return {
    user: (account) => viewUser(accounts.balanceMills('market_b', account), account),
    checkTradeLink,
    checkProjectIds(query, account) {
      const ids = many(query, 'id')
      if (ids.length === 0 || ids.length > MOST_IDS) return { ...say('Invalid id') }
      const isBlind = faults.areLookupsBlind('market_b')
      const trades = ids.flatMap((id) => [
        ...(isBlind ? [] : refusedRows.under(account, id).map((row) => viewRefusedRow(row))),
        ...orders.index.byCustomId('market_b', account, id).filter(isVisible).map(view),
      ])
      return { success: true, msg: '', trades }
    },
    checkTradeIds(query, account) {
      const ids = many(query, 'id')
      if (ids.length === 0 || ids.length > MOST_IDS) return { ...say('Invalid id') }
      const trades = ids
        .map((id) => orders.index.bySeq(seqOfTradeId(id) ?? 0))
        .filter((order) => order?.market === 'market_b' && order.account === account)
        .filter((order) => order !== undefined)
        .filter(isVisible)
        .map(view)
      return { success: true, msg: '', trades }
    },
    history(query, account) {
      const partner = one(query, 'partner')
      const token = one(query, 'token')
      const history: Answer[] = []
      let left = integer(query, 'skip') ?? 0
      for (const order of orders.index.ofAccount('market_b', account)) {
        if (history.length >= HISTORY_ROWS) break
        if (!isVisible(order)) continue
        if (partner !== undefined && partner !== String(order.buyer.partner)) continue
        if (token !== undefined && token !== order.buyer.token) continue
        if (left > 0) left -= 1
        else history.push(viewHistoryRow(order, names))
      }
      return { success: true, history }
    },
    myHistory(body, account) {
      const asked = readWindow(body)
      if (asked === null) return { ...say('Invalid request') }
      const { fromMs, untilMs, skip, isAscending } = asked
      const found = [...orders.index.ofAccount('market_b', account)].filter(
        (order) => isVisible(order) && order.placedAtMs >= fromMs && order.placedAtMs <= untilMs,
      )
      const trades = (isAscending ? found.toReversed() : found)
        .slice(skip, skip + MY_HISTORY_ROWS)
        .map((order) => viewMyHistoryRow(order, names))
      return { success: true, data: { trades, transactions: [] } }
    },
  }
}

function readWindow(body: unknown) {
  const { skip = 0, start, end, sort = 'DESC' } = (body ?? {}) as Record<string, unknown>
  const fromMs = Date.parse(String(start))
  const untilMs = Date.parse(String(end))
  const isSkip = Number.isInteger(skip) && Number(skip) >= 0 && Number(skip) <= MY_HISTORY_SKIP
  if (Number.isNaN(fromMs) || Number.isNaN(untilMs) || !isSkip) return null
  if (sort !== 'ASC' && sort !== 'DESC') return null
  return { fromMs, untilMs, skip: Number(skip), isAscending: sort === 'ASC' }
}

function viewUser(balanceMills: number, account: string): Answer {
  const owner = personaOf(OWNER_PARTNER)
  return {
    success: true,
    user: {
      wallet: balanceMills,
      id: `user-${account}`,
      id64: owner.platformId,
      name: owner.name,
      sell_fees: 0.94,
      can_p2p: true,
      tradelink: `https://steamcommunity.com/tradeoffer/new/?partner=${OWNER_PARTNER}&token=accept00`,
    },
  }
}

/** An unusable link is reported in `info` next to a success, or in `msg` next to a failure. */
function checkTradeLink(body: unknown): Answer {
  const link = readLink(body)
  const partner = link === null ? null : parseTradePartner(link.partner, link.token)
  if (link === null || partner === null) return { ...say('Invalid tradelink') }
  const usable = {
    success: true,
    link: link.href,
    token: partner.token,
    steamid32: String(partner.partner),
    steamid64: partner.platformId,
  }
  const trouble = troubleWith(partner.token)
  if (trouble === null) return usable
  return partner.partner % 2 === 0 ? { ...usable, info: trouble } : { ...say(trouble) }
}

function troubleWith(token: string): string | null {
  switch (behaviourOf(token)) {
    case 'private_inventory':
      return PRIVATE_INVENTORY
    case 'trade_banned':
      return TRADE_BANNED
    case 'platform_hold':
      return BUYER_BLOCKED
    default:
      return null
  }
}

function readLink(body: unknown): { href: string; partner: string; token: string } | null {
  if (typeof body !== 'object' || body === null || !('tradelink' in body)) return null
  const { tradelink } = body
  if (typeof tradelink !== 'string' || !URL.canParse(tradelink)) return null
  const { href, searchParams } = new URL(tradelink)
  return {
    href,
    partner: searchParams.get('partner') ?? '',
    token: searchParams.get('token') ?? '',
  }
}
