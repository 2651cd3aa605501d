// Trade URLs, as a visitor of the platform's community site sees them.

import type { HttpOutcome } from '#infra/http/http-client'
import type { GamePlatform, LookUpContext, ParsedTradeUrl, TradeUrlAnswer } from '#ports/identity'
import type { Log } from '../shared/feed-counters.ts'
import { emptyGameBook } from '../shared/game-book.ts'
import { privacyOf, readInventoryPage } from './inventory-page.ts'
import type { PlatformCalls } from './platform-calls.ts'
import { tradePagePath } from './send-form.ts'
import { readTradePage, type TradePage } from './trade-page.ts'

export interface TradeUrlsOptions {
  /** Where the site is reached: its origin, or the address under which a sandbox serves it. */
  readonly communityUrl: string
  /** Host of the addresses that users see, such as `steamcommunity.com`. */
  readonly communityHost: string
  readonly platformCalls: PlatformCalls
  readonly log: Log
}

type Unavailable = Extract<TradeUrlAnswer, { readonly kind: 'unavailable' }>

const APP_ID = '730'
const DEADLINE_MS = 10_000
const PAGE_MAX_BYTES = 4 * 1024 * 1024

export function createTradeUrls(options: TradeUrlsOptions): GamePlatform {
  const baseUrl = options.communityUrl.replace(/\/+$/, '')
  const { platformCalls, log } = options

  const get = async (
    kind: 'trade-page' | 'inventory',
    { path, page }: { readonly path: string; readonly page: string },
    { requestId, tenantId }: LookUpContext,
  ): Promise<HttpOutcome | Unavailable> => {
    const by = { botId: null, caller: { tenantId } }
    const retryAfterMs = await platformCalls.turn(kind, by)
    if (retryAfterMs > 0) {
      return { kind: 'unavailable', detail: 'no turn within the call budget', retryAfterMs }
    }
    const outcome = await platformCalls.send(kind, by, {
      page: `${baseUrl}${page}`,
      operation: kind,
      method: 'GET',
      url: `${baseUrl}${path}`,
      deadlineMs: DEADLINE_MS,
      maxBytes: PAGE_MAX_BYTES,
      context: { requestId },
    })
    if (outcome.kind !== 'rests') return outcome
    log.warn(
      { event: 'trade_pages_rate_limited', requestId, kind },
      'look-ups of trade URLs are rate limited by the platform',
    )
    return {
      kind: 'unavailable',
      detail: 'too many look-ups from our address',
      retryAfterMs: outcome.retryAfterMs,
    }
  }

  /** Null when the inventory is shown. What is neither shown nor said to be private is not known. */
  const inventoryObstacle = async (
    platformId: string,
    context: LookUpContext,
  ): Promise<TradeUrlAnswer | null> => {
    const path = `/inventory/${platformId}/${APP_ID}/2?l=english&count=1`
    const page = `/profiles/${platformId}/inventory/`
    const outcome = await get('inventory', { path, page }, context)
    if (outcome.kind === 'unavailable') return outcome
    if (outcome.kind !== 'answer') return { kind: 'unavailable', detail: outcome.detail }
    if (privacyOf(outcome) !== null) return { kind: 'refused', detail: 'the inventory is private' }
    const read = await readInventoryPage(outcome.body, { contextId: '2', book: emptyGameBook })
    if (outcome.status === 200 && read !== null) return null
    return {
      kind: 'unavailable',
      detail: `an inventory came with status ${outcome.status}`,
    }
  }

  return {
    async resolveTradeUrl(url, context) {
      const { requestId } = context
      const path = tradePagePath(url)
      const outcome = await get('trade-page', { path, page: path }, context)
      if (outcome.kind === 'unavailable') return outcome
      const page = pageOf(outcome, url)
      if (page.kind === 'unreadable') {
        log.warn(
          { event: 'trade_page_unreadable', requestId, detail: page.detail },
          'trade page unreadable',
        )
        return { kind: 'unavailable', detail: page.detail }
      }
      if (page.kind === 'refused') return { kind: 'refused', detail: page.detail }
      // An account that never had an item of the game shows none either; only a second read decides.
      if (!page.showsInventory) {
        const obstacle = await inventoryObstacle(url.platformId, context)
        if (obstacle !== null) return obstacle
      }
      return resolved(page, url, options.communityHost)
    },
  }
}

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
