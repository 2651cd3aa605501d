// Trade URLs, as a visitor of the platform's community site sees them.

import type { HttpClient, HttpOutcome } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import type { GamePlatform, LookUpContext, ParsedTradeUrl, TradeUrlAnswer } from '#ports/identity'
import type { Log } from '../shared/feed-counters.ts'
import { emptyGameBook } from '../shared/game-book.ts'
import { INVENTORY_READS, type Spend } from './budget.ts'
import { privacyOf, readInventoryPage } from './inventory-page.ts'
import { SITE_HEADERS } from './site-headers.ts'
import { readTradePage, type TradePage } from './trade-page.ts'

/** The budget of trade pages. */
const TRADE_PAGES = 'platform-trade-url'

export interface TradeUrlsOptions {
  /** Where the site is reached: its origin, or the address under which a sandbox serves it. */
  readonly communityUrl: string
  /** Host of the addresses that users see, such as `steamcommunity.com`. */
  readonly communityHost: string
  readonly http: HttpClient
  readonly clock: Clock
  readonly log: Log
  readonly spend: Spend
  /** Between two look-ups from our address. */
  readonly spacingMs: number
  /** Between two reads of inventories, of which one is needed where the page shows none. */
  readonly inventorySpacingMs: number
  /** For so long the platform is left alone when it has had enough of our address. */
  readonly barredMs: number
  /** The session under which the real site shows the page; null where none is asked for. */
  readonly cookie?: () => string | null
}

const APP_ID = '730'
const DEADLINE_MS = 10_000
const PAGE_MAX_BYTES = 4 * 1024 * 1024

export function createTradeUrls(options: TradeUrlsOptions): GamePlatform {
  const baseUrl = options.communityUrl.replace(/\/+$/, '')
  const { http, clock, log } = options
  /** By budget: trade pages and inventories are limited apart. */
  const barredUntilMs = new Map<string, number>()

  const get = (operation: string, path: string, requestId: string): Promise<HttpOutcome> => {
    const cookie = options.cookie?.() ?? null
    return http.request({
      provider: 'game_platform',
      operation,
      method: 'GET',
      url: `${baseUrl}${path}`,
      headers: {
        ...SITE_HEADERS,
        accept: 'text/html, application/json',
        ...(operation === 'trade-page' ? { referer: `${baseUrl}${path}` } : {}),
        ...(cookie === null ? {} : { cookie }),
      },
      deadlineMs: DEADLINE_MS,
      maxBytes: PAGE_MAX_BYTES,
      context: { requestId },
    })
  }

  /** Null: it may leave now. */
  const turn = async (
    [name, spacingMs]: readonly [string, number],
    tenantId: string,
  ): Promise<TradeUrlAnswer | null> => {
    const barredMs = (barredUntilMs.get(name) ?? 0) - clock.now().getTime()
    if (barredMs > 0) return tooMany(barredMs)
    const retryAfterMs = await options.spend(name, spacingMs, { tenantId })
    if (retryAfterMs === 0) return null
    return { kind: 'unavailable', detail: 'no turn within the call budget', retryAfterMs }
  }

  const barred = (name: string, requestId: string): TradeUrlAnswer => {
    barredUntilMs.set(name, clock.now().getTime() + options.barredMs)
    log.warn(
      { event: 'trade_pages_rate_limited', requestId, budget: name },
      'look-ups of trade URLs are rate limited by the platform',
    )
    return tooMany(options.barredMs)
  }

  /** Null when the inventory is shown. What is neither shown nor said to be private is not known. */
  const inventoryObstacle = async (
    platformId: string,
    requestId: string,
  ): Promise<TradeUrlAnswer | null> => {
    const path = `/inventory/${platformId}/${APP_ID}/2?l=english&count=1`
    const outcome = await get('inventory', path, requestId)
    if (outcome.kind !== 'answer') return { kind: 'unavailable', detail: outcome.detail }
    if (outcome.status === 429) return barred(INVENTORY_READS, requestId)
    if (privacyOf(outcome) !== null) return { kind: 'refused', detail: 'the inventory is private' }
    const page = await readInventoryPage(outcome.body, { contextId: '2', book: emptyGameBook })
    if (outcome.status === 200 && page !== null) return null
    return {
      kind: 'unavailable',
      detail: `an inventory came with status ${outcome.status}`,
    }
  }

  return {
    async resolveTradeUrl(url, { requestId, tenantId }: LookUpContext) {
      const late = await turn([TRADE_PAGES, options.spacingMs], tenantId)
      if (late !== null) return late
      const path = `/tradeoffer/new/?partner=${url.partner}&token=${encodeURIComponent(url.token)}`
      const outcome = await get('trade-page', path, requestId)
      if (outcome.kind === 'answer' && outcome.status === 429) return barred(TRADE_PAGES, requestId)
      const page = pageOf(outcome, url)
      if (page.kind === 'unreadable') {
        log.warn(
          { event: 'trade_page_unreadable', requestId, detail: page.detail },
          'trade page unreadable',
        )
        return { kind: 'unavailable', detail: page.detail }
      }
      if (page.kind === 'refused') return page
      // An account that never had an item of the game shows none either; only a second read decides.
      if (!page.showsInventory) {
        const noTurn = await turn([INVENTORY_READS, options.inventorySpacingMs], tenantId)
        if (noTurn !== null) return noTurn
        const obstacle = await inventoryObstacle(url.platformId, requestId)
        if (obstacle !== null) return obstacle
      }
      return resolved(page, url, options.communityHost)
    },
  }
}

const tooMany = (retryAfterMs: number): TradeUrlAnswer => ({
  kind: 'unavailable',
  detail: 'too many look-ups from our address',
  retryAfterMs,
})

function pageOf(outcome: HttpOutcome, { partner }: ParsedTradeUrl): TradePage {
  if (outcome.kind !== 'answer') return { kind: 'unreadable', detail: outcome.detail }
  const { status, body } = outcome
  if (status >= 300 && status < 400) {
    return { kind: 'unreadable', detail: 'the platform asks us to sign in' }
  }
  // Error pages come with various statuses; their text decides, except when the site itself is unwell.
  if (status >= 500) return { kind: 'unreadable', detail: `status ${status}` }
  return readTradePage(body, { partner, appId: APP_ID })
}

function resolved(
  page: Extract<TradePage, { kind: 'offer' }>,
  { platformId }: ParsedTradeUrl,
  host: string,
): TradeUrlAnswer {
  return {
    kind: 'resolved',
    persona: {
      platformId,
      personaName: page.personaName,
      avatarUrl: page.avatarUrl,
      profileUrl: `https://${host}/profiles/${platformId}`,
    },
    holdDays: page.holdDays,
    probation: page.probation,
  }
}
