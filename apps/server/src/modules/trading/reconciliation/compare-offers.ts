// Two ways to say what the bots have sent: the intents that we committed, and the platform's list. Pure.
import { cut } from '#kernel/text'
import type { ExchangeSnapshot, HeldOffer, SentOffer } from '#selling'
import { type Finding, itemSubject, offerSubject, type Subject } from './case.ts'

export interface OfferList {
  readonly botId: string
  readonly offers: readonly SentOffer[]
  readonly isWhole: boolean
  readonly from: Date
  /** When it was asked for. Intents are read after it, so every offer of ours has its intent there. */
  readonly askedAt: Date
  /** What we wrote within it contradicts nothing: the list may be older, or a follower is at work. */
  readonly settleMs: number
}

export interface OfferComparison {
  readonly findings: readonly Finding[]
  /** Subjects of what the list shows. */
  readonly listed: readonly string[]
  /** Offers that we hold as sent and that the list lacks. One list alone proves nothing. */
  readonly unlisted: readonly HeldOffer[]
  /** Accepted by the list, ended without a payout by us: the exchange says who is right. */
  readonly unconfirmed: readonly { readonly offer: HeldOffer; readonly exchangeId: string }[]
}

export function compareOffers(list: OfferList, held: readonly HeldOffer[]): OfferComparison {
  const byIntentId = new Map(held.map((offer) => [offer.offerIntentId, offer]))
  const byOfferId = new Map(
    held.flatMap((offer) => (offer.offerId === null ? [] : [[offer.offerId, offer] as const])),
  )
  const findings: Finding[] = []
  const listed: string[] = []
  const unconfirmed: OfferComparison['unconfirmed'][number][] = []
  const seen = new Set<string>()
  for (const line of list.offers) {
    const { snapshot } = line
    const tagged = wordsOf(line).map((word) => byIntentId.get(word))
    const intent = byOfferId.get(snapshot.offerId) ?? tagged.find((found) => found !== undefined)
    // A second offer under the offer intent id of one is as strange as one without any.
    const isOurs = intent !== undefined && (intent.offerId ?? snapshot.offerId) === snapshot.offerId
    const subject = subjectOf(isOurs ? intent : undefined, list.botId, snapshot.offerId)
    listed.push(subject.name)
    if (!isOurs || GIVEN_UP.includes(intent.state) || intent.items.length === 0) {
      if (isLive(line)) findings.push(unmatchedOf(line, isOurs ? intent : undefined, list.botId))
      continue
    }
    seen.add(intent.offerIntentId)
    findings.push(...contradictions(line, intent, list))
    const isUnpaid = intent.items.some(({ status }) => UNPAID.includes(status))
    if (snapshot.state === 'accepted' && snapshot.tradeId !== null && isUnpaid) {
      unconfirmed.push({ offer: intent, exchangeId: snapshot.tradeId })
    }
  }
  const unlisted = list.isWhole ? held.filter((offer) => isLacking(offer, list, seen)) : []
  return {
    findings,
    listed,
    unlisted,
    unconfirmed: unconfirmed.filter((one) => isSettled(one.offer, list)),
  }
}

export const wordsOf = ({ message }: SentOffer): string[] => message.split(/\s+/)

type Status = HeldOffer['items'][number]['status']
const GIVEN_UP: readonly HeldOffer['state'][] = ['absent', 'orphan']
const UNPAID: readonly Status[] = ['declined', 'canceled', 'failed']
const HELD: readonly Status[] = ['hold', 'completed']
/** What an offer cannot have come to when its items were received. */
const NEVER_ACCEPTED: readonly string[] = ['declined', 'countered', 'expired', 'canceled']

const isLive = ({ snapshot }: SentOffer): boolean =>
  ['needs_confirmation', 'active', 'accepted', 'in_escrow'].includes(snapshot.state)

const isSettled = (
  { steppedAt }: HeldOffer,
  { askedAt, settleMs }: Pick<OfferList, 'askedAt' | 'settleMs'>,
): boolean => steppedAt !== null && askedAt.getTime() - steppedAt.getTime() >= settleMs

function subjectOf(intent: HeldOffer | undefined, botId: string, offerId: string): Subject {
  const [first] = intent?.items ?? []
  return first === undefined ? offerSubject(botId, offerId) : itemSubject(first.id, null)
}

/** In the words in which a follower reports the same: two that see one thing open one case. */
const aboutOf = ({ items, tradeId, offerId, botId }: HeldOffer) => ({
  ...(items[0] === undefined ? {} : { itemId: items[0].id }),
  tradeId,
  offerId,
  botId,
})

function unmatchedOf(
  { snapshot, gives, message }: SentOffer,
  intent: HeldOffer | undefined,
  botId: string,
): Finding {
  const { offerId, state, assets } = snapshot
  return {
    kind: 'orphan_offer',
    subject: subjectOf(intent, botId, offerId),
    details: { ...(intent === undefined ? { botId } : aboutOf(intent)), offerId, state },
    notes: {
      takes: assets.map(({ assetId }) => assetId),
      gives: gives.map(({ assetId }) => assetId),
      message: cut(message, 200),
    },
  }
}

function contradictions(line: SentOffer, intent: HeldOffer, list: OfferList): Finding[] {
  const { snapshot, gives } = line
  const subject = subjectOf(intent, list.botId, snapshot.offerId)
  const about = { ...aboutOf(intent), offerId: snapshot.offerId }
  const expected = intent.items.map(({ assetId }) => assetId)
  const received = snapshot.assets.map(({ assetId }) => assetId)
  // What an offer asks for never changes, so nothing has to settle.
  if (isLive(line) && (gives.length > 0 || !isSame(expected, received))) {
    const details = { ...about, exchangeId: snapshot.tradeId, expected, received }
    return [{ kind: 'sell_differs', subject, details, notes: { gives: gives.length } }]
  }
  const [status] = intent.items.map((item) => item.status).filter((each) => HELD.includes(each))
  const isDenied = status !== undefined && NEVER_ACCEPTED.includes(snapshot.state)
  if (!isDenied || !isSettled(intent, list)) return []
  const details = { ...about, status, platform: snapshot.state }
  return [{ kind: 'late_contradiction', subject, details }]
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  [...one].sort().join() === [...other].sort().join()

function isLacking(
  { state, sentAt, offerIntentId, items }: HeldOffer,
  { from, askedAt, settleMs }: OfferList,
  seen: ReadonlySet<string>,
): boolean {
  const isHeldAsSent = (state === 'out' || state === 'taken') && items.length > 0
  const isInside =
    sentAt.getTime() >= from.getTime() + settleMs &&
    sentAt.getTime() <= askedAt.getTime() - settleMs
  return isHeldAsSent && isInside && !seen.has(offerIntentId)
}

export function missingOffer(offer: HeldOffer): Finding {
  const subject = subjectOf(offer, offer.botId, offer.offerId ?? '')
  return { kind: 'missing', subject, details: aboutOf(offer) }
}

export const subjectOfOffer = (offer: HeldOffer): string =>
  subjectOf(offer, offer.botId, offer.offerId ?? '').name

/** Its exchange can be held against what we made of it. */
export const hasExchangeToCheck = (
  offer: HeldOffer,
  asked: Pick<OfferList, 'askedAt' | 'settleMs'>,
): boolean =>
  offer.exchangeId !== null &&
  offer.items.some(({ status }) => HELD.includes(status) || status === 'reverted') &&
  isSettled(offer, asked)

/**
 * What an exchange says against our items. Null when it says nothing yet. A reversal in the hold window is
 * the follower's, who books it when he looks next.
 */
export function compareExchange(
  offer: HeldOffer,
  seen: ExchangeSnapshot,
): readonly Finding[] | null {
  const isTakenBack =
    seen.state === 'reverted' || seen.state === 'failed' || seen.rollbackTradeId !== null
  if (!isTakenBack && seen.state !== 'complete') return null
  const subject = subjectOf(offer, offer.botId, offer.offerId ?? '')
  const about = aboutOf(offer)
  const statusOf = (statuses: readonly Status[]): Status | undefined =>
    offer.items.find(({ status }) => statuses.includes(status))?.status
  const late = (status: Status): Finding => ({
    kind: 'late_contradiction',
    subject,
    details: { ...about, status, platform: isTakenBack ? 'reverted' : 'complete' },
    notes: { exchangeId: seen.tradeId, rollbackTradeId: seen.rollbackTradeId },
  })
  if (isTakenBack) {
    if (statusOf(['completed'])) return [late('completed')]
    return statusOf(['hold'])
      ? [{ kind: 'reversal_seen', subject, details: { ...about, by: 'user' } }]
      : []
  }
  const undone = statusOf([...UNPAID, 'reverted'])
  if (undone !== undefined) return [late(undone)]
  const expected = offer.items.map(({ assetId }) => assetId)
  const received = seen.received.map(({ assetId }) => assetId)
  const recorded = offer.items.map(({ stockId }) => stockId ?? '')
  const isRecorded = isSame(
    recorded,
    seen.received.map(({ newAssetId }) => newAssetId),
  )
  if (isSame(expected, received) && isRecorded) return []
  const details = { ...about, exchangeId: seen.tradeId, expected, received }
  return [{ kind: 'sell_differs', subject, details, notes: { recorded } }]
}
