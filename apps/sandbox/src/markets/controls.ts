import type { FastifyInstance } from 'fastify'
import { ControlFault, readBody, readPartyChange } from '../control/body.ts'
import type { Listing, MarketId } from '../dataset/types.ts'
import type { DatasetKeeper } from '../dataset-keeper.ts'
import { integer, one, type Query } from '../http/query.ts'
import { decimalToMills, millsToDecimal } from '../kernel/mills.ts'
import { serveFaultScript } from '../party/script-controls.ts'
import type { Switches } from '../party/switches.ts'
import type { Accounts } from './accounts.ts'
import { MARKET_IDS, type MarketFaults } from './faults.ts'
import { parseScriptEntry, type ScriptedEvent } from './script.ts'

/** What the control interface may do to a market's own machinery. */
export interface MarketHandle {
  cutSockets(): void
  duplicateMessages(): void
  /** Of a market that gives out tokens for its socket. */
  expireTokens?(): void
  /** Of a market that serves known addresses alone. */
  readonly gate?: { isClosed: boolean }
  /** Of a market that revokes keys. */
  readonly keys?: {
    revoke(of: readonly string[]): void
    restore(): void
    revoked(): readonly string[]
  }
}

export interface MarketControlDeps {
  readonly keeper: DatasetKeeper
  readonly switches: Switches
  readonly faults: MarketFaults
  readonly accounts: Accounts
  readonly markets: Readonly<Record<MarketId, MarketHandle>>
}

const DEFAULT_LIMIT = 25
const MOST_LISTED = 1_000

export function serveMarketControls(app: FastifyInstance, deps: MarketControlDeps): void {
  const { keeper, switches } = deps

  /**
   * `online`, `latencyMs`, `balance`, `forbidden` (calls with a key: market A says that it is bad, market B
   * answers 403); `account`: of this key alone; of market A `settling`, `currency` of the account,
   * `restoreKeys` after it revoked them
   */
  app.put('/markets/:market', (request) => {
    const market = readMarket(request.params)
    const body = readBody(request.body, [
      ...['online', 'latencyMs', 'account', 'balance', 'settling', 'currency', 'restoreKeys'],
      'forbidden',
    ])
    const change = readPartyChange(body)
    const balanceMills = readMoney(body, 'balance')
    const settlingMills = readMoney(body, 'settling')
    const chosen = readAccount(body, market, deps)
    switches.set(market, change)
    if (balanceMills !== null) {
      for (const key of chosen) {
        deps.accounts.setBalance(market, key, balanceMills)
      }
    }
    if (settlingMills !== null) {
      for (const key of chosen) {
        deps.accounts.setSettling(market, key, settlingMills)
      }
    }
    if (typeof body.currency === 'string') {
      for (const key of chosen) {
        deps.accounts.setCurrency(market, key, body.currency)
      }
    }
    const { gate, keys } = deps.markets[market]
    if (body.restoreKeys === true) keys?.restore()
    if (typeof body.forbidden === 'boolean') {
      if (gate !== undefined) gate.isClosed = body.forbidden
      else if (body.forbidden) keys?.revoke(chosen)
      else keys?.restore()
    }
    return viewMarket(market, deps)
  })

  for (const market of MARKET_IDS) {
    /** Script of the market */
    serveFaultScript(app, `/markets/${market}/script`, {
      script: deps.faults.scripts[market],
      accept(next) {
        const { events, entries } = readScript(market, next)
        for (const event of events) apply(event, market, deps)
        return entries
      },
    })
  }

  /** The cheapest with the words of `q`; `limit` */
  app.get('/markets/:market/listings', (request) => {
    const market = readMarket(request.params)
    return listListings(request.query as Query, keeper.dataset.listings(market))
  })

  /** One listing */
  app.get('/markets/:market/listings/:id', (request) => {
    const { market, id } = readListing(request.params)
    const listing = keeper.dataset.listing(market, id)
    if (listing === undefined) throw noListing(market, id)
    return viewListing(listing)
  })

  /** Its `price` */
  app.put('/markets/:market/listings/:id', (request) => {
    const { market, id } = readListing(request.params)
    const priceMills = readMoney(readBody(request.body, ['price']), 'price')
    if (priceMills === null || priceMills === 0) {
      throw new ControlFault(400, 'price must be a decimal above zero, such as "12.34".')
    }
    const listing = keeper.setPrice(market, id, priceMills, 'control')
    if (listing === null) throw noListing(market, id)
    return viewListing(listing)
  })

  /** Removes it */
  app.delete('/markets/:market/listings/:id', (request) => {
    const { market, id } = readListing(request.params)
    if (!keeper.remove(market, id, 'control')) throw noListing(market, id)
    return { id, removed: true }
  })
}

/** The keys whose accounts are meant: all without a name. */
function readAccount(
  { account }: Readonly<Record<string, unknown>>,
  market: MarketId,
  { accounts }: MarketControlDeps,
): readonly string[] {
  if (account === undefined) return accounts.keys(market)
  if (typeof account === 'string' && accounts.has(market, account)) return [account]
  throw new ControlFault(404, `There is no account of this key at ${market}.`)
}

export function viewMarket(market: MarketId, deps: MarketControlDeps): Record<string, unknown> {
  const { switches, faults, keeper, accounts, markets } = deps
  return {
    ...switches.of(market),
    listings: keeper.dataset.countOf(market),
    script: faults.scripts[market].list(),
    lookupsBlind: faults.areLookupsBlind(market),
    forbidden: markets[market].gate?.isClosed ?? false,
    accounts: accounts.keys(market).map((key) => ({
      key,
      balance: millsToDecimal(accounts.balanceMills(market, key)),
      revoked: markets[market].keys?.revoked().includes(key) ?? false,
    })),
  }
}

function apply(event: ScriptedEvent, market: MarketId, deps: MarketControlDeps): void {
  switch (event.kind) {
    case 'cut_sockets':
      deps.markets[market].cutSockets()
      return
    case 'expire_tokens':
      deps.markets[market].expireTokens?.()
      return
    case 'duplicate_messages':
      deps.markets[market].duplicateMessages()
      return
    case 'lose_cancel':
      deps.faults.loseNextCancel(market, event.isDone ? 'done' : 'not_done')
      return
    case 'blind_lookups':
      deps.faults.blindLookups(market, event.durationMs)
  }
}

/** Nothing is done unless every entry is understood. */
function readScript(
  market: MarketId,
  next: readonly unknown[],
): { readonly events: readonly ScriptedEvent[]; readonly entries: readonly string[] } {
  const events: ScriptedEvent[] = []
  const entries: string[] = []
  for (const entry of next) {
    const parsed = typeof entry === 'string' ? parseScriptEntry(market, entry) : null
    if (typeof entry !== 'string' || parsed === null) {
      throw new ControlFault(400, `${market} has no script word ${JSON.stringify(entry)}.`)
    }
    if (parsed.kind === 'event') events.push(parsed.event)
    else entries.push(entry)
  }
  return { events, entries }
}

/** Words of `q` in any order, cheapest listing first. */
function listListings(query: Query, listings: Iterable<Listing>): Record<string, unknown> {
  const limit = integer(query, 'limit') ?? DEFAULT_LIMIT
  if (limit < 1 || limit > MOST_LISTED) {
    throw new ControlFault(400, `limit must be a number from 1 to ${MOST_LISTED}.`)
  }
  const words = (one(query, 'q') ?? '').toLowerCase().split(/\s+/)
  const found: Listing[] = []
  for (const listing of listings) {
    const { marketHashName, phase } = listing.asset.item
    const text = `${marketHashName} ${phase ?? ''}`.toLowerCase()
    if (words.every((word) => text.includes(word))) found.push(listing)
  }
  found.sort((left, right) => left.priceMills - right.priceMills)
  return { items: found.slice(0, limit).map(viewListing), total: found.length }
}

function viewListing(listing: Listing): Record<string, unknown> {
  const { item, wear, paintSeed } = listing.asset
  return {
    id: listing.id,
    assetId: listing.assetId,
    marketHashName: item.marketHashName,
    icon: item.iconUrl,
    phase: item.phase,
    price: millsToDecimal(listing.priceMills),
    priceMills: listing.priceMills,
    auto: listing.auto,
    wear,
    paintSeed,
    sellerId: listing.sellerId,
  }
}

function readMarket(params: unknown): MarketId {
  const { market } = params as { market: string }
  const known = MARKET_IDS.find((id) => id === market)
  if (known === undefined) {
    throw new ControlFault(
      404,
      `There is no market "${market}"; there are ${MARKET_IDS.join(', ')}.`,
    )
  }
  return known
}

function readListing(params: unknown): { readonly market: MarketId; readonly id: string } {
  return { market: readMarket(params), id: (params as { id: string }).id }
}

function readMoney(body: Readonly<Record<string, unknown>>, field: string): number | null {
  const value = body[field]
  if (value === undefined) return null
  // A number is taken by its digits: 12.3 is as good as "12.3", and 0.1 + 0.2 is refused.
  const isAmount = typeof value === 'string' || typeof value === 'number'
  const mills = isAmount ? decimalToMills(String(value)) : null
  if (mills === null) {
    throw new ControlFault(400, `${field} must be a decimal of at most 3 places, such as "12.34".`)
  }
  return mills
}

function noListing(market: MarketId, id: string): ControlFault {
  return new ControlFault(404, `${market} has no listing ${id}.`)
}
