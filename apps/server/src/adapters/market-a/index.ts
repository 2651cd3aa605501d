// Market A (market.csgo.com, API v2): the door of the adapter.
import type { PermitRules, TakePermit } from '#infra/database/call-permits'
import type { ReserveSlot } from '#infra/database/call-slots'
import type { HttpClient } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import type { Check } from '#kernel/check'
import type { Market } from '#ports/buying'
import type { MarketFeed, PriceList } from '#ports/catalog'
import type { Statements } from '#ports/reconciliation'
import { createAccountAccess } from '../shared/account-access.ts'
import { type Breaker, createMarketBreaker } from '../shared/breaker.ts'
import { feedCounters, type Log, type Metrics, type Rng } from '../shared/feed-counters.ts'
import { emptyGameBook, type GameBook } from '../shared/game-book.ts'
import { callBudget, type Supplier } from '../shared/market-definition.ts'
import { createPacer } from '../shared/pacer.ts'
import { createAccount } from './account.ts'
import { createKeyedCalls } from './calls.ts'
import { createDrill } from './drill.ts'
import { createFeed } from './feed.ts'
import { createHealth } from './health.ts'
import { createMarket } from './market.ts'
import { createPriceList } from './prices.ts'
import { CALL_WINDOW, MARKET_A_DEFAULTS, type MarketASettings } from './settings.ts'
import { createStatements } from './statements.ts'

type GivenSettings = Pick<MarketASettings, 'baseUrl' | 'apiKey'> & Partial<MarketASettings>

export type MarketAOptions = GivenSettings & {
  readonly http: HttpClient
  readonly clock: Clock
  readonly reserveSlot: ReserveSlot
  readonly takePermit: TakePermit
  readonly rng: Rng
  readonly log: Log
  readonly metrics: Metrics
  /** Names for the numbers of stickers that the market shows. */
  readonly gameBook?: GameBook
}

export function createMarketA(options: MarketAOptions): {
  readonly market: Market
  readonly feed: MarketFeed
  readonly statements: Statements
  readonly prices: PriceList
  readonly breaker: Breaker
  readonly readAccount: Supplier['readAccount']
  readonly drill: () => readonly Check[]
} {
  const { http, clock, reserveSlot, takePermit, rng, log, metrics, ...others } = options
  const { gameBook = emptyGameBook, ...given } = others
  const settings = settingsOf(given)
  const ours = { market: 'market_a', account: settings.account }
  const pacer = createPacer({
    name: callBudget('market_a', settings.account),
    spacingMs: settings.callSpacingMs,
    permits: permitsOf(settings),
    reserveSlot,
    takePermit,
    clock,
  })
  const breaker = createMarketBreaker(ours, settings.breaker, { clock, log, metrics })
  const access = createAccountAccess(ours, log)
  const calls = createKeyedCalls({ settings, http, pacer, breaker, access })
  const account = createAccount({ settings, calls, clock, log })
  const counters = feedCounters(metrics, 'market_a')
  const market = createMarket({ settings, calls, account, access, log })
  const statements = createStatements({ settings, calls, clock, log })
  const { health, readAccount } = createHealth({ settings, account, access, clock })
  return {
    ...{ market, breaker, statements, readAccount },
    prices: createPriceList(settings.baseUrl),
    drill: createDrill({ settings, calls, account, market, statements, clock }),
    feed: createFeed({
      ...{ settings, calls, clock, rng, log, counters, gameBook },
      health,
    }),
  }
}

/** As many calls as the market may count in its window, each until it can have left the window. */
const permitsOf = ({ buyDeadlineMs, callDeadlineMs }: MarketASettings): PermitRules => ({
  most: CALL_WINDOW.calls,
  lingerMs: CALL_WINDOW.ms,
  holdMs: Math.max(buyDeadlineMs, callDeadlineMs) + 2 * CALL_WINDOW.ms,
})

function settingsOf(given: GivenSettings): MarketASettings {
  const baseUrl = given.baseUrl.replace(/\/+$/, '')
  return { ...MARKET_A_DEFAULTS, socketUrl: socketUrlOf(baseUrl), ...given, baseUrl }
}

/** The real market pushes from a host of its own; elsewhere the socket is below the same address. */
const socketUrlOf = (baseUrl: string): string =>
  baseUrl === 'https://market.csgo.com'
    ? 'wss://wsprice.csgo.com/connection/websocket'
    : `${baseUrl.replace(/^http/, 'ws')}/connection/websocket`
