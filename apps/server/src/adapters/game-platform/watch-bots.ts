// Looks after the bots: whether each can be logged in, its active offers and free slots, and whether
// another party is acting in its name. What is seen is written down for all processes.
import type { Clock } from '#infra/process/clock'
import type { CallContext } from '#ports/selling'
import type { Log, Metrics } from '../shared/feed-counters.ts'
import { fieldsOf, own, smallIntegerOf } from '../shared/reader.ts'
import type { BotSecrets } from './bot-secrets.ts'
import type { BotCalls } from './calls.ts'
import type { Confirmations } from './confirmations.ts'
import type { RunExclusively } from './exclusive.ts'
import type { BotMemory, BotState } from './memory.ts'
import type { OfferReader } from './offer-reader.ts'

export interface WatchOptions {
  readonly listBots: () => Promise<readonly BotSecrets[]>
  readonly calls: BotCalls
  readonly offers: OfferReader
  readonly confirmations: Confirmations
  readonly exclusively: RunExclusively
  readonly memory: BotMemory
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Is there an intent of ours, committed before it was sent, whose tag is among these words? */
  readonly hasIntent: (words: readonly string[]) => Promise<boolean>
  /** Inventories and confirmations change slowly, and are dear to read. */
  readonly slowlyMs: number
  /** After so long a bot that was seen is unknown to the other processes. */
  readonly staleMs: number
}

/** What one account can hold. */
const MOST_ITEMS = 1_000
/** Another process may be confirming this very moment what it has just sent. */
const GRACE_MS = 60_000

const MOST_SILENCE_MS = 120_000

export type WatchBots = (signal: AbortSignal, context: CallContext) => Promise<void>

export function createWatchBots(options: WatchOptions): WatchBots {
  const { calls, offers, confirmations, memory, clock, log } = options
  const online = options.metrics.gauge('platform_bot_online', 'Whether a bot can be used', ['bot'])
  const strange = options.metrics.gauge(
    'platform_strange_confirmations',
    'Confirmations that wait at a bot and belong to no offer of ours',
    ['bot'],
  )
  const slow = new Map<string, { readonly atMs: number; readonly freeSlots: number }>()
  const strangeSince = new Map<string, number>()
  const acknowledged = new Set<string>()
  let watchedAtMs: number | null = null
  // One process watches at a time: those that did once must not go on saying that all is well.
  options.metrics.onScrape(() => {
    if (watchedAtMs === null || clock.now().getTime() - watchedAtMs < MOST_SILENCE_MS) return
    watchedAtMs = null
    online.reset()
    strange.reset()
  })

  const countItems = async (
    bot: BotSecrets,
    contextId: '2' | '16',
    context: CallContext,
  ): Promise<number | null> => {
    const answer = await calls.get({
      ...{ bot, kind: 'own-inventory', operation: 'own-inventory', context },
      path: `/inventory/${bot.platformId}/730/${contextId}`,
      query: { l: 'english', count: 1 },
    })
    if (answer.kind !== 'answer' || answer.status !== 200) return null
    return smallIntegerOf(own(fieldsOf(answer.body) ?? {}, 'total_inventory_count'))
  }

  /** An offer of another origin is either not to be read as ours, or carries no tag that we gave. */
  const isIntended = async (
    bot: BotSecrets,
    offerId: string,
    context: CallContext,
  ): Promise<boolean> => {
    const offer = await offers.one(bot, offerId, context)
    return offer !== null && (await options.hasIntent(offer.message.split(/\s+/)))
  }

  const lookForForeignConfirmations = async (
    bot: BotSecrets,
    context: CallContext,
  ): Promise<void> => {
    // A key for the list is good once, so no offer may be confirmed at the same time.
    const turn = await options.exclusively(`bot:${bot.platformId}`, () =>
      confirmations.list(bot, context),
    )
    if (turn.kind === 'busy' || turn.value === null) return
    const nowMs = clock.now().getTime()
    let count = 0
    for (const { offerId } of turn.value) {
      if (await isIntended(bot, offerId, context)) continue
      const sinceMs = strangeSince.get(offerId) ?? nowMs
      strangeSince.set(offerId, sinceMs)
      if (nowMs - sinceMs < Math.min(GRACE_MS, options.slowlyMs)) continue
      count += 1
      log.error(
        { bot: bot.platformId, offerId, alarm: 'strange_confirmation' },
        'foreign confirmation pending: another party may act as this bot',
      )
    }
    strange.labels(bot.platformId).set(count)
  }

  const lookSlowly = async (bot: BotSecrets, context: CallContext): Promise<number> => {
    const known = slow.get(bot.platformId)
    const nowMs = clock.now().getTime()
    if (known !== undefined && nowMs - known.atMs < options.slowlyMs) return known.freeSlots
    await lookForForeignConfirmations(bot, context)
    const plain = await countItems(bot, '2', context)
    const guarded = await countItems(bot, '16', context)
    if (plain === null || guarded === null) return known?.freeSlots ?? 0
    const freeSlots = Math.max(0, MOST_ITEMS - plain - guarded)
    slow.set(bot.platformId, { atMs: nowMs, freeSlots })
    return freeSlots
  }

  /**
   * Once for each account the platform wants to hear that we know of its protection of trades; until then
   * it stops us in the middle of an offer. To say so again changes nothing.
   */
  const acknowledge = async (bot: BotSecrets, context: CallContext): Promise<void> => {
    if (acknowledged.has(bot.platformId)) return
    const answer = await calls.post({
      ...{ bot, kind: 'acknowledge', operation: 'acknowledge-protection', context },
      path: '/trade/new/acknowledge',
      referer: '/tradeoffer/new/',
      form: { message: '1' },
    })
    if (answer.kind === 'answer' && answer.status === 200) acknowledged.add(bot.platformId)
  }

  /** Else the others know it, and will for a while. */
  const hasChanged = (before: BotState | null, { seenAt, ...now }: BotState): boolean =>
    before === null ||
    seenAt.getTime() - before.seenAt.getTime() >= options.staleMs / 4 ||
    before.online !== now.online ||
    before.activeOffers !== now.activeOffers ||
    before.freeSlots !== now.freeSlots

  const look = async (
    bot: BotSecrets,
    context: CallContext,
    known: BotState | null,
  ): Promise<boolean> => {
    const scan = await offers.sentSince(bot, clock.now(), context)
    const out = (scan?.offers ?? []).filter(
      ({ snapshot }) => snapshot.state === 'active' || snapshot.state === 'needs_confirmation',
    )
    if (scan !== null) await acknowledge(bot, context)
    const freeSlots = scan === null ? 0 : await lookSlowly(bot, context)
    const stateAfter = (before: BotState | null): BotState => ({
      online: scan !== null,
      activeOffers: scan === null ? (before?.activeOffers ?? 0) : out.length,
      freeSlots,
      restrictedUntil: before?.restrictedUntil ?? null,
      seenAt: clock.now(),
    })
    if (hasChanged(known, stateAfter(known))) {
      // Read again: what was known is as old as the calls, and another process may have noted a restriction.
      const before = await memory.readState(bot.platformId)
      await memory.writeState(bot.platformId, stateAfter(before))
    }
    if (scan === null && known?.online !== false) {
      log.warn({ bot: bot.platformId }, 'bot unusable')
    }
    return scan !== null
  }

  return async (signal, context) => {
    const known = await memory.readStates()
    for (const bot of await options.listBots()) {
      if (signal.aborted) return
      watchedAtMs = clock.now().getTime()
      const isOnline = await look(bot, context, known.get(bot.platformId) ?? null)
      online.labels(bot.platformId).set(isOnline ? 1 : 0)
    }
  }
}
