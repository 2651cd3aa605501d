// Reconciling offers: what the platform lists of each bot, and what its exchanges came to, is held against
// the intents and items of sells. What does not agree becomes a case; nothing is sent or moved here.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import { newId } from '#kernel/id'
import { type Bots, expediteOffer, type HeldOffer, listHeldOffers } from '#selling'
import type { Finding } from './case.ts'
import {
  compareExchange,
  compareOffers,
  hasExchangeToCheck,
  missingOffer,
  type OfferComparison,
  subjectOfOffer,
  wordsOf,
} from './compare-offers.ts'
import { type ReportCase, reportEach } from './report.ts'
import { clearCases } from './store/cases.ts'

export interface OfferReconcilingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly bots: Pick<Bots, 'list' | 'listSent' | 'lookUp' | 'readExchange'>
  readonly settleMs: number
  readonly report: ReportCase
}

export interface OffersReconciled {
  readonly botId: string
  readonly findings: number
  /** Why the bot's list could not be compared; null when it was. */
  readonly trouble: string | null
}

/** Holds that can still change, and a day before and after. */
const HELD_FOR_MS = 9 * 24 * 3_600_000
/** Calls of a bot are few: each round looks at those that were not looked at for longest. */
const EXCHANGES_A_ROUND = 20

interface Memory {
  /** Offers that one whole list lacked: lacking in the next one, too, they are missing. */
  readonly suspects: Set<string>
  readonly checkedAtMs: Map<string, number>
  /** Offers whose reversal was seen once while our books held them: their follower was made to look. */
  readonly reversals: Set<string>
}

/** Compares every bot that can be asked, over a window of this length. */
export function createOfferReconciling(
  deps: OfferReconcilingDeps,
): (lengthMs: number) => Promise<OffersReconciled[]> {
  const memories = new Map<string, Memory>()
  return async (lengthMs) => {
    const results: OffersReconciled[] = []
    for (const bot of await deps.bots.list({ requestId: newId() })) {
      if (!bot.online) continue
      const memory = memories.get(bot.id) ?? createMemory()
      memories.set(bot.id, memory)
      results.push(await reconcileBot(deps, { botId: bot.id, lengthMs, memory }))
    }
    return results
  }
}

const createMemory = (): Memory => ({
  suspects: new Set(),
  checkedAtMs: new Map(),
  reversals: new Set(),
})

interface Round {
  readonly botId: string
  readonly lengthMs: number
  readonly memory: Memory
}

async function reconcileBot(deps: OfferReconcilingDeps, round: Round): Promise<OffersReconciled> {
  const { db, clock, bots, settleMs } = deps
  const { botId, lengthMs } = round
  const askedAt = clock.now()
  const from = new Date(askedAt.getTime() - lengthMs)
  const context = { requestId: newId() }
  const list = await bots.listSent(botId, from, context)
  if (list.kind !== 'ok') return { botId, findings: 0, trouble: list.detail }
  const lines = list.value.offers
  // After the list: an intent is committed before its send, so every offer of ours has its intent here.
  const held = await listHeldOffers(db, {
    botId,
    sentSince: new Date(askedAt.getTime() - HELD_FOR_MS),
    offerIds: lines.map(({ snapshot }) => snapshot.offerId),
    words: lines.flatMap(wordsOf),
  })
  const compared = compareOffers({ botId, ...list.value, from, askedAt, settleMs }, held)
  const lacking = new Set(compared.unlisted.map(({ offerIntentId }) => offerIntentId))
  // Of what is older than this window nothing was said.
  for (const { offerIntentId, sentAt } of held) {
    if (sentAt >= from && !lacking.has(offerIntentId)) round.memory.suspects.delete(offerIntentId)
  }
  const missing = await missingOf(deps, round, compared.unlisted)
  const exchanges = await checkExchanges(deps, round, { held, compared, askedAt })
  const findings = [...compared.findings, ...missing, ...exchanges.findings]
  await reportEach(deps, findings)
  const at = clock.now()
  const clear = async (kinds: readonly string[], looked: readonly string[]): Promise<void> => {
    for (const kind of kinds) {
      const found = findings.filter((one) => one.kind === kind).map(({ subject }) => subject.name)
      const subjects = looked.filter((subject) => !found.includes(subject))
      await clearCases(db, { kinds: [kind], subjects, sources: ['statement'], at })
    }
  }
  await clear(['orphan_offer', 'missing'], compared.listed)
  await clear(['sell_differs', 'late_contradiction', 'reversal_seen'], exchanges.examined)
  return { botId, findings: findings.length, trouble: null }
}

/** Neither two lists in a row nor a look-up of its own show it. */
async function missingOf(
  { bots }: OfferReconcilingDeps,
  { botId, memory }: Round,
  unlisted: readonly HeldOffer[],
): Promise<Finding[]> {
  const findings: Finding[] = []
  const { suspects } = memory
  for (const offer of unlisted) {
    const offerId = offer.offerId ?? ''
    const answer = await bots.lookUp(botId, [offerId], { requestId: newId() })
    if (answer.kind !== 'ok') continue
    if (answer.value.has(offerId)) suspects.delete(offer.offerIntentId)
    else if (suspects.has(offer.offerIntentId)) findings.push(missingOffer(offer))
    else suspects.add(offer.offerIntentId)
  }
  return findings
}

async function checkExchanges(
  { db, clock, bots, settleMs }: OfferReconcilingDeps,
  { botId, memory }: Round,
  read: { held: readonly HeldOffer[]; compared: OfferComparison; askedAt: Date },
): Promise<{ findings: Finding[]; examined: string[] }> {
  const { checkedAtMs, reversals } = memory
  const known = new Set(read.held.map(({ offerIntentId }) => offerIntentId))
  for (const offerIntentId of checkedAtMs.keys())
    if (!known.has(offerIntentId)) checkedAtMs.delete(offerIntentId)
  for (const offerIntentId of reversals)
    if (!known.has(offerIntentId)) reversals.delete(offerIntentId)
  const regular = read.held
    .filter((offer) => offer.botId === botId)
    .filter((offer) => hasExchangeToCheck(offer, { askedAt: read.askedAt, settleMs }))
    .map((offer) => ({ offer, exchangeId: offer.exchangeId ?? '' }))
  const due = [...read.compared.unconfirmed, ...regular]
    .sort(
      (a, b) =>
        (checkedAtMs.get(a.offer.offerIntentId) ?? 0) -
        (checkedAtMs.get(b.offer.offerIntentId) ?? 0),
    )
    .slice(0, EXCHANGES_A_ROUND)
  const findings: Finding[] = []
  const examined: string[] = []
  for (const { offer, exchangeId } of due) {
    checkedAtMs.set(offer.offerIntentId, read.askedAt.getTime())
    const answer = await bots.readExchange(botId, exchangeId, { requestId: newId() })
    const found = answer.kind === 'ok' ? compareExchange(offer, answer.value) : null
    if (found === null) continue
    examined.push(subjectOfOffer(offer))
    const isReversal = found.some(({ kind }) => kind === 'reversal_seen')
    if (isReversal && !reversals.has(offer.offerIntentId)) {
      // Not a case yet: the books say it too as soon as the follower has looked.
      reversals.add(offer.offerIntentId)
      await expediteOffer(db, offer.offerIntentId, clock.now())
      continue
    }
    findings.push(...found)
  }
  return { findings, examined }
}
