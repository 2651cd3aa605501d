// Placing: sells are given to bots, the intent of each offer is committed, and only then it is sent.

import type { Db } from '#infra/database/db'
import { createGatedLoop } from '#infra/jobs/gated-loop'
import type { IntentLog } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import { beginFor, traced } from '#infra/tracing/tracing'
import type { OnCase } from '#trades'
import { FAILURES } from './item.ts'
import { isReady, type WorkOffer } from './offer.ts'
import { guardOf } from './offer-guard.ts'
import type { Bot, Bots, Outcome } from './ports.ts'
import { BOT_OFFER_LIMIT, PARTNER_OFFER_LIMIT } from './sell.ts'
import { stepOffer } from './step.ts'
import { lockItems } from './store/cancel.ts'
import {
  assign,
  claimWaiting,
  hasWaiting,
  listOverdue,
  moveItems,
  readOffers,
  recordOffer,
  releaseIntent,
  stopWaiting,
} from './store/offers.ts'
import { endUnmatchedOffer } from './unmatched-offer.ts'

export interface SellPlacingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly bots: Bots
  /** False while sells that wait may have been offered already: nothing is offered, and none is failed. */
  mayPlace?(): Promise<boolean>
  /** Notes each offer before it leaves, for the case that the database loses it. */
  readonly intents?: IntentLog<OfferIntent>
  /** A user who has not decided by then has let the offer expire: 30 minutes. */
  readonly offerMs: number
  /** An intent that is not answered by then is taken to be lost, and the platform is scanned. */
  readonly leaseMs: number
  /** How soon an offer that is out is looked at. */
  readonly pollMs: number
  /** Items that no bot could take for so long fail with MARKET_UNAVAILABLE: 15 minutes. */
  readonly giveUpMs: number
  /** Offers under way at once in this process. */
  readonly concurrency: number
  readonly onCase: OnCase
  /** A bot of ours is in a state that an operator must repair. */
  onTrouble?(botId: string, detail: string): void
}

/** An offer of a bot, so that it can be looked for, and whose items it takes. */
export interface OfferIntent {
  readonly offerIntentId: string
  readonly botId: string
  readonly tradeId: string
  readonly itemIds: readonly string[]
  readonly tenantId: string
  readonly accountId: string
  readonly externalId: string | null
}

const intentOf = ({ offerIntentId, botId, tradeId, items, ...offer }: WorkOffer): OfferIntent => ({
  ...{ offerIntentId, botId, tradeId, itemIds: items.map(({ id }) => id) },
  ...{ tenantId: offer.tenantId, accountId: offer.accountId, externalId: offer.externalId },
})

/** How often it is asked how the bots are. */
const BOTS_EVERY_MS = 2000
/** How long a sell without free slots waits before bots are looked for again. */
const NO_ROOM_MS = 1000
/** A bot that could not send something rests for so long, and others take its place. */
const REST_MS = 15_000

/** Works until nothing is due and nothing is under way, or the signal says stop. */
export function createSellPlacing(
  deps: SellPlacingDeps,
): (signal: AbortSignal) => Promise<boolean> {
  const roster = createRoster(deps)
  return createGatedLoop({
    concurrency: deps.concurrency,
    isDue: () => hasWaiting(deps.db),
    isOpen: async () => (await deps.mayPlace?.()) ?? true,
    claim: async (limit) => {
      await failOverdue(deps)
      const { offers, failed } = await nextOffers(deps, await roster.ready(), limit)
      const sends = offers.map((offer) => ({
        key: offer.botId,
        run: () =>
          traced(
            beginFor(offer.requestId, 'send offer'),
            () => send(deps, offer, roster.rest),
            undefined,
          ),
      }))
      // An error ends the run when everything under way is done: what has its intent is sent before.
      return [...sends, ...failed.map((error) => ({ key: 'failed', run: () => rethrow(error) }))]
    },
    keyOf: ({ key }) => key,
    work: ({ run }) => run(),
  })
}

async function rethrow(error: unknown): Promise<never> {
  throw error
}

interface Roster {
  /** Bots that can take items now. */
  ready(): Promise<Bot[]>
  rest(botId: string, forMs: number): void
}

function createRoster({ clock, bots }: SellPlacingDeps): Roster {
  let known: readonly Bot[] = []
  let askedAtMs = Number.NEGATIVE_INFINITY
  const restingUntilMs = new Map<string, number>()
  return {
    ready: async () => {
      const at = clock.now()
      if (Math.abs(at.getTime() - askedAtMs) >= BOTS_EVERY_MS) {
        known = await bots.list({ requestId: 'bots' })
        askedAtMs = at.getTime()
      }
      return known.filter(
        (bot) => isReady(bot, at) && (restingUntilMs.get(bot.id) ?? 0) <= at.getTime(),
      )
    },
    rest: (botId, forMs) => restingUntilMs.set(botId, clock.now().getTime() + forMs),
  }
}

interface Next {
  /** With committed intents: if they are not sent now, their items fail. */
  readonly offers: readonly WorkOffer[]
  /** Why sells could not be given to a bot, of which none keeps the others from it. */
  readonly failed: readonly unknown[]
}

async function nextOffers(
  { db, clock, leaseMs, offerMs, giveUpMs }: SellPlacingDeps,
  bots: readonly Bot[],
  limit: number,
): Promise<Next> {
  if (bots.length === 0) return { offers: [], failed: [] }
  const at = clock.now()
  const later = (milliseconds: number): Date => new Date(at.getTime() + milliseconds)
  const limits = { bots, botLimit: BOT_OFFER_LIMIT, partnerLimit: PARTNER_OFFER_LIMIT }
  const tradeIds = await claimWaiting(db, {
    ...limits,
    at,
    limit,
    leaseUntil: later(NO_ROOM_MS),
    placeableSince: later(-giveUpMs),
  })
  const offerIntentIds: string[] = []
  const failed: unknown[] = []
  const times = { at, leaseUntil: later(leaseMs), expiresAt: later(offerMs) }
  for (const tradeId of tradeIds) {
    try {
      offerIntentIds.push(...(await assign(db, { tradeId, ...limits, ...times })))
    } catch (error) {
      failed.push(error)
    }
  }
  const offers = offerIntentIds.length === 0 ? [] : await readOffers(db, offerIntentIds)
  return { offers, failed }
}

async function send(deps: SellPlacingDeps, offer: WorkOffer, rest: Roster['rest']): Promise<void> {
  const { intents } = deps
  const noting = intents && {
    isReady: intents.isReady,
    note: () => intents.note(intentOf(offer)),
  }
  const outcome = await deps.bots.sendOffer(
    {
      offerIntentId: offer.offerIntentId,
      botId: offer.botId,
      partner: offer.partner,
      token: offer.token,
      take: offer.items.map(({ assetId, contextId }) => ({ assetId, contextId })),
      give: [],
      message: `Sale ${offer.offerIntentId}`,
    },
    { requestId: offer.requestId, guard: guardOf(deps, offer, noting) },
  )
  await record(deps, offer, outcome, rest)
}

async function record(
  deps: SellPlacingDeps,
  offer: WorkOffer,
  outcome: Outcome<{ readonly offerId: string }>,
  rest: Roster['rest'],
): Promise<void> {
  const { db, clock, pollMs, offerMs, onTrouble } = deps
  const at = clock.now()
  const later = (milliseconds: number): Date => new Date(at.getTime() + milliseconds)
  switch (outcome.kind) {
    case 'ok': {
      const { offerId } = outcome.value
      const isRecorded = await db.transaction(async (tx) => {
        const isOut = await recordOffer(tx, offer.offerIntentId, {
          state: 'out',
          offerId,
          expiresAt: later(offerMs),
          dueAt: later(pollMs),
        })
        if (isOut) await stepOffer(tx, offer, { from: 'pending', to: 'active', at, offerId })
        return isOut
      })
      // Given up as never sent, and out all the same: the watch goes on where this does not reach.
      if (!isRecorded) await endUnmatchedOffer(deps, offer, { offerId, state: 'active' })
      return
    }
    case 'rejected': {
      const { reason, detail } = outcome
      const failure = FAILURES[reason]
      if (failure === null) {
        rest(offer.botId, REST_MS)
        if (reason === 'bot_restricted') onTrouble?.(offer.botId, detail)
        await releaseIntent(db, offer.offerIntentId, { detail: `${reason}: ${detail}`, dueAt: at })
        return
      }
      await db.transaction(async (tx) => {
        const ended = { state: 'ended', detail: `${reason}: ${detail}` } as const
        if (!(await recordOffer(tx, offer.offerIntentId, ended))) return
        await stepOffer(tx, offer, { from: 'pending', to: 'failed', at, failure, detail })
      })
      return
    }
    case 'unknown':
      // In the hands of the followers now, who scan the bot's offers until they are sure.
      await recordOffer(db, offer.offerIntentId, {
        state: 'unknown',
        detail: outcome.detail,
        dueAt: later(pollMs),
      })
      return
    case 'unavailable': {
      const pauseMs = Math.min(outcome.retryAfterMs, REST_MS)
      rest(offer.botId, pauseMs)
      // Another bot may do it at once.
      await releaseIntent(db, offer.offerIntentId, { detail: outcome.detail, dueAt: at })
    }
  }
}

/** Checked again under the sell's lock: a bot may have been given the items since they were listed. */
async function failOverdue({ db, clock, giveUpMs }: SellPlacingDeps): Promise<void> {
  const at = clock.now()
  const end = {
    to: 'failed',
    failure: 'MARKET_UNAVAILABLE',
    detail: 'no bot could take it in time',
  } as const
  for (const tradeId of await listOverdue(db, new Date(at.getTime() - giveUpMs))) {
    await db.transaction(async (tx) => {
      const items = await lockItems(tx, tradeId)
      for (const from of ['initiated', 'pending'] as const) {
        const waiting = items.filter((item) => item.status === from && !item.isCarried)
        const itemIds = waiting.map(({ id }) => id)
        if (itemIds.length > 0) await moveItems(tx, { tradeId, itemIds, from, ...end, at })
      }
      await stopWaiting(tx, tradeId)
    })
  }
}
