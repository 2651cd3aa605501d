// Market B (Waxpeer, API v1 and v2): the door of the adapter.

import type { ReserveSlot } from '#infra/database/call-slots'
import type { HttpClient } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import type { Check, TestBuyer } from '#kernel/check'
import type { Market } from '#ports/buying'
import type { MarketFeed, PriceList } from '#ports/catalog'
import type { GamePlatform } from '#ports/identity'
import type { KeepPages, Statements } from '#ports/reconciliation'
import { createAccountAccess } from '../shared/account-access.ts'
import { type Breaker, createMarketBreaker } from '../shared/breaker.ts'
import { feedCounters, type Log, type Metrics, type Rng } from '../shared/feed-counters.ts'
import { emptyGameBook, type GameBook } from '../shared/game-book.ts'
import type { Supplier } from '../shared/market-definition.ts'
import { createCalls } from './calls.ts'
import { createDrill } from './drill.ts'
import { createFeed } from './feed.ts'
import { createHealth } from './health.ts'
import { createMarket } from './market.ts'
import { createPriceList } from './prices.ts'
import { MARKET_B_DEFAULTS, type MarketBSettings } from './settings.ts'
import { createStatementPages } from './statements.ts'
import { createTradeLinks } from './trade-links.ts'

type GivenSettings = Pick<MarketBSettings, 'baseUrl' | 'apiKey'> & Partial<MarketBSettings>

export type MarketBOptions = GivenSettings & {
  readonly http: HttpClient
  readonly clock: Clock
  readonly reserveSlot: ReserveSlot
  readonly rng: Rng
  readonly log: Log
  readonly metrics: Metrics
  readonly keepPages: KeepPages
  /** Names for the numbers of stickers and charms that inspect tokens carry. */
  readonly gameBook?: GameBook
  /** Host of the addresses that users see on the game platform. */
  readonly communityHost?: string
  /** Called when the market pushes an event of our orders: a reason to poll now. */
  readonly onWake?: () => void
}

export function createMarketB(options: MarketBOptions): {
  readonly market: Market
  readonly feed: MarketFeed
  readonly statements: Statements
  readonly prices: PriceList
  readonly breaker: Breaker
  readonly readAccount: Supplier['readAccount']
  readonly tradeLinks: GamePlatform
  readonly drill: (testBuyer: TestBuyer | null) => readonly Check[]
} {
  const {
    http,
    clock,
    reserveSlot,
    rng,
    log,
    metrics,
    keepPages,
    gameBook = emptyGameBook,
    onWake = () => {},
    communityHost = 'steamcommunity.com',
    ...given
  } = options
  const settings = settingsOf(given)
  const ours = { market: 'market_b', account: settings.account }
  const breaker = createMarketBreaker(ours, settings.breaker, { clock, log, metrics })
  const access = createAccountAccess(ours, log)
  const calls = createCalls({ settings, http, clock, reserveSlot, breaker, access })
  const counters = feedCounters(metrics, 'market_b')
  const market = createMarket({ settings, calls, log })
  const pages = createStatementPages({ settings, calls })
  const tradeLinks = createTradeLinks({ calls, communityHost })
  const { health, readAccount } = createHealth({ settings, calls, access, clock })
  return {
    ...{ market, breaker, tradeLinks, readAccount },
    prices: createPriceList(settings.baseUrl),
    statements: keepPages(pages),
    drill: createDrill({ settings, calls, market, tradeLinks, pages, clock }),
    feed: createFeed({
      ...{ settings, calls, clock, rng, log, counters, gameBook, onWake },
      health,
    }),
  }
}

function settingsOf(given: GivenSettings): MarketBSettings {
  const baseUrl = given.baseUrl.replace(/\/+$/, '')
  return { ...MARKET_B_DEFAULTS, socketUrl: socketUrlOf(baseUrl), ...given, baseUrl }
}

/** The real market serves its socket from the site's address, not from that of the API. */
const socketUrlOf = (baseUrl: string): string =>
  baseUrl === 'https://api.waxpeer.com'
    ? 'wss://waxpeer.com/socket.io/'
    : `${baseUrl.replace(/^http/, 'ws')}/socket.io/`
