// The page behind a trade URL, which the platform shows to its own accounts alone: each look-up is made
// with the session of a bot of ours. What one bot cannot see another may.
import type { HttpOutcome } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import type { GamePlatform, LookUpContext, ParsedTradeUrl, TradeUrlAnswer } from '#ports/identity'
import type { Log } from '../shared/feed-counters.ts'
import { emptyGameBook } from '../shared/game-book.ts'
import type { BotSecrets } from './bot-secrets.ts'
import type { BotCalls } from './calls.ts'
import { leaveOut, OWN_HOLD_MS } from './holds.ts'
import { privacyOf, readInventoryPage } from './inventory-page.ts'
import type { StateMemory } from './memory.ts'
import type { PlatformCalls } from './platform-calls.ts'
import type { Rests } from './rests.ts'
import { tradePagePath } from './send-form.ts'
import { readTradePage, type TradePage } from './trade-page.ts'

export interface TradeUrlsOptions {
  /** Where the site is reached: its origin, or the address under which a sandbox serves it. */
  readonly communityUrl: string
  /** Host of the addresses that users see, such as `steamcommunity.com`. */
  readonly communityHost: string
  readonly listBots: () => Promise<readonly BotSecrets[]>
  readonly calls: BotCalls
  readonly platformCalls: PlatformCalls
  readonly rests: Rests
  readonly memory: StateMemory
  readonly clock: Clock
  readonly log: Log
  /** A bot that has not been seen for so long may be well or not. */
  readonly staleMs: number
}

type Unavailable = Extract<TradeUrlAnswer, { readonly kind: 'unavailable' }>
type Offer = Extract<TradePage, { readonly kind: 'offer' }>

/** What a bot saw; `next`: nothing, and another may see something. */
type Look =
  | { readonly kind: 'seen'; readonly page: Exclude<TradePage, { readonly kind: 'unreadable' }> }
  | { readonly kind: 'next'; readonly detail: string; readonly isUnasked: boolean }
  | Unavailable

const APP_ID = '730'
const DEADLINE_MS = 10_000
const PAGE_MAX_BYTES = 4 * 1024 * 1024
/** Bots that are tried for one look-up. */
const MOST_BOTS = 3

export function createTradeUrls(options: TradeUrlsOptions): GamePlatform {
  const { communityUrl, platformCalls, log } = options
  const nextBots = createBotChoice(options)

  /** Null when the inventory is shown. What is neither shown nor said to be private is not known. */
  const inventoryObstacle = async (
    platformId: string,
    { requestId, tenantId }: LookUpContext,
  ): Promise<TradeUrlAnswer | null> => {
    const by = { botId: null, caller: { tenantId } }
    const retryAfterMs = await platformCalls.turn('inventory', by)
    if (retryAfterMs > 0) return unavailable('no turn within the call budget', retryAfterMs)
    const outcome = await platformCalls.send('inventory', by, {
      page: `${communityUrl}/profiles/${platformId}/inventory/`,
      operation: 'inventory',
      method: 'GET',
      url: `${communityUrl}/inventory/${platformId}/${APP_ID}/2?l=english&count=1`,
      deadlineMs: DEADLINE_MS,
      maxBytes: PAGE_MAX_BYTES,
      context: { requestId },
    })
    if (outcome.kind === 'rests') {
      return unavailable('too many look-ups from our address', outcome.retryAfterMs)
    }
    return readInventory(outcome)
  }

  const look = async (
    bot: BotSecrets,
    url: ParsedTradeUrl,
    { requestId, ...caller }: LookUpContext & { readonly goesOn: boolean },
  ): Promise<Look> => {
    const answer = await options.calls.tradePage({
      ...{ bot, operation: 'trade-page', context: { requestId }, caller },
      path: tradePagePath(url),
    })
    if (answer.kind === 'refused') {
      const { detail, retryAfterMs, because } = answer
      return because === undefined
        ? { kind: 'next', detail, isUnasked: true }
        : unavailable(detail, retryAfterMs)
    }
    // The platform is away, and would keep each of our accounts waiting.
    if (answer.kind === 'lost') return unavailable(answer.detail)
    if (answer.status >= 500) return unavailable(`status ${answer.status}`)
    // Error pages come with various statuses; their text decides.
    const page = readTradePage(answer.body, { partner: url.partner, appId: APP_ID })
    if (page.kind === 'unreadable') {
      const fields = { event: 'trade_page_unreadable', requestId, bot: bot.platformId }
      log.warn({ ...fields, detail: page.detail }, 'trade page unreadable')
      return { kind: 'next', detail: page.detail, isUnasked: false }
    }
    if (page.kind === 'offer' && page.ownHoldDays > 0) {
      await leaveOut(options, bot.platformId, OWN_HOLD_MS)
      return { kind: 'next', detail: 'trades of the bot itself are held', isUnasked: true }
    }
    return { kind: 'seen', page }
  }

  return {
    async resolveTradeUrl(url, context) {
      const { requestId, tenantId } = context
      let detail = 'none of our accounts can ask the platform'
      let isUnasked = true
      for (const [index, bot] of (await nextBots(url)).entries()) {
        const seen = await look(bot, url, { requestId, tenantId, goesOn: index > 0 })
        if (seen.kind === 'unavailable') return seen
        if (seen.kind === 'next') {
          detail = seen.detail
          isUnasked &&= seen.isUnasked
          continue
        }
        const { page } = seen
        if (page.kind === 'refused') return { kind: 'refused', detail: page.detail }
        // An account that never had an item of the game shows none either; only a second read decides.
        const obstacle = page.showsInventory
          ? null
          : await inventoryObstacle(url.platformId, context)
        return obstacle ?? resolved(page, url, options.communityHost)
      }
      return { ...unavailable(detail), ...(isUnasked && { isUnasked: true as const }) }
    },
  }
}

/**
 * The bots that may ask, the one that was used the longest ago first: not restricted, not at rest, and not
 * the account that is asked about, which is not shown its own page. Those that were offline when they were
 * seen last are tried after the others: the platform may be away for all, and then no other source stands
 * in for it.
 */
function createBotChoice({
  listBots,
  memory,
  rests,
  clock,
  staleMs,
}: TradeUrlsOptions): (url: ParsedTradeUrl) => Promise<readonly BotSecrets[]> {
  const usedAt = new Map<string, number>()
  let uses = 0
  return async ({ platformId }) => {
    const bots = await listBots()
    const states = await memory.readStates()
    const nowMs = clock.now().getTime()
    const isOffline = ({ platformId: id }: BotSecrets): boolean => {
      const state = states.get(id)
      return state?.online === false && nowMs - state.seenAt.getTime() <= staleMs
    }
    const mayAsk = async ({ platformId: id }: BotSecrets): Promise<boolean> =>
      id !== platformId &&
      (states.get(id)?.restrictedUntil?.getTime() ?? 0) <= nowMs &&
      (await rests.waitMs('trade-page', id)) === 0
    const free: BotSecrets[] = []
    for (const bot of bots) if (await mayAsk(bot)) free.push(bot)
    const lastUse = ({ platformId: id }: BotSecrets): number => usedAt.get(id) ?? 0
    const chosen = free
      .sort(
        (one, other) =>
          Number(isOffline(one)) - Number(isOffline(other)) || lastUse(one) - lastUse(other),
      )
      .slice(0, MOST_BOTS)
    const [first] = chosen
    if (first !== undefined) usedAt.set(first.platformId, ++uses)
    return chosen
  }
}

async function readInventory(outcome: HttpOutcome): Promise<TradeUrlAnswer | null> {
  if (outcome.kind !== 'answer') return unavailable(outcome.detail)
  if (privacyOf(outcome) !== null) return { kind: 'refused', detail: 'the inventory is private' }
  const read = await readInventoryPage(outcome.body, { contextId: '2', book: emptyGameBook })
  if (outcome.status === 200 && read !== null) return null
  return unavailable(`an inventory came with status ${outcome.status}`)
}

const unavailable = (detail: string, retryAfterMs?: number): Unavailable => ({
  ...{ kind: 'unavailable', detail },
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})

const resolved = (page: Offer, { platformId }: ParsedTradeUrl, host: string): TradeUrlAnswer => ({
  kind: 'resolved',
  persona: {
    platformId,
    personaName: page.personaName,
    avatarUrl: page.avatarUrl,
    profileUrl: `https://${host}/profiles/${platformId}`,
  },
  holdDays: page.holdDays,
  probation: page.probation,
})
