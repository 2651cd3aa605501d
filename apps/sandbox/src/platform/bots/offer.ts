import type { Asset } from '../../dataset/types.ts'
import { throwBetween } from '../../kernel/dice.ts'
import { behaviourOf } from '../persona.ts'
import type { TradeFault } from '../script.ts'

/**
 * The life of a trade offer that a bot makes, and of the trade that comes of it. `confirming`: the bot
 * has yet to confirm on its phone what it gives away, and the partner does not see it.
 */
export type BotOfferStage =
  | 'confirming'
  | 'active'
  | 'held'
  | 'released'
  | 'declined'
  | 'expired'
  | 'canceled'
  | 'invalid_items'
  | 'reversed'

export const NEXT_BOT_OFFER_STAGES: Readonly<Record<BotOfferStage, readonly BotOfferStage[]>> = {
  confirming: ['active', 'canceled'],
  active: ['held', 'declined', 'expired', 'canceled', 'invalid_items'],
  held: ['released', 'reversed'],
  released: [],
  declined: [],
  expired: [],
  canceled: [],
  invalid_items: [],
  reversed: [],
}

/** One item that changes hands. Its id is another one at each hand-over. */
export interface Move {
  readonly assetId: string
  readonly asset: Asset
  readonly newAssetId: string
  /** Its id back with its first owner, should the trade be reversed. */
  readonly returnedAssetId: string
}

export type BotOfferSide = 'bot' | 'partner'

export interface BotOfferPlan {
  readonly answer: 'accepts' | 'declines' | 'none'
  readonly answerDelayMs: number
  readonly windowMs: number
  readonly isReversed: boolean
  /** Its trade stays at the platform's status 2. */
  readonly tradeFault?: TradeFault
}

export interface BotOffer {
  readonly seq: number
  readonly botId: string
  /** The 32-bit account of the other side, and the token that let the offer through. */
  readonly partner: number
  readonly partnerId: string
  readonly token: string
  readonly message: string
  /** From the bot to the partner. */
  readonly give: readonly Move[]
  /** From the partner to the bot. */
  readonly take: readonly Move[]
  readonly plan: BotOfferPlan
  readonly createdAtMs: number
  readonly progress: BotOfferProgress
}

export interface BotOfferProgress {
  readonly stage: BotOfferStage
  readonly updatedAtMs: number
  readonly sentAtMs: number | null
  readonly expiresAtMs: number
  readonly acceptedAtMs: number | null
  readonly settlesAtMs: number | null
  readonly endedAtMs: number | null
  readonly endedBy: BotOfferSide | null
}

const IGNORED_WINDOW_MS = 5_000
/** An offer without an answer expires after two weeks. */
const WINDOW_MS = 14 * 86_400_000
const SLOW_ANSWER_MS = 15_000

export function planBotOffer(seed: number, seq: number, token: string): BotOfferPlan {
  const behaviour = behaviourOf(token)
  return {
    answer:
      behaviour === 'declines'
        ? 'declines'
        : behaviour === 'never_answers' || behaviour === 'waits_for_control'
          ? 'none'
          : 'accepts',
    answerDelayMs:
      behaviour === 'slow_seller'
        ? SLOW_ANSWER_MS
        : throwBetween(300, 900, seed, 'bot offer answer', seq),
    windowMs: behaviour === 'never_answers' ? IGNORED_WINDOW_MS : WINDOW_MS,
    isReversed: behaviour === 'reverses',
  }
}

/** The next thing that happens by itself; null when nothing does. */
export function nextOfBotOffer({
  plan,
  progress,
}: BotOffer): { readonly atMs: number; readonly to: BotOfferStage } | null {
  const { stage, expiresAtMs } = progress
  if (stage === 'active') {
    const answeredAtMs = (progress.sentAtMs ?? progress.updatedAtMs) + plan.answerDelayMs
    if (plan.answer === 'none') return { atMs: expiresAtMs, to: 'expired' }
    return { atMs: answeredAtMs, to: plan.answer === 'accepts' ? 'held' : 'declined' }
  }
  if (stage !== 'held') return null
  const settlesAtMs = progress.settlesAtMs ?? progress.updatedAtMs
  if (!plan.isReversed) return { atMs: settlesAtMs, to: 'released' }
  const acceptedAtMs = progress.acceptedAtMs ?? progress.updatedAtMs
  // A quarter of the hold, but not before a client could have seen the accepted trade.
  const quarterMs = Math.max(1000, (settlesAtMs - acceptedAtMs) / 4)
  return { atMs: Math.min(acceptedAtMs + quarterMs, settlesAtMs - 1), to: 'reversed' }
}

export function advanceBotOffer(
  offer: BotOffer,
  to: BotOfferStage,
  { nowMs, by, holdMs }: { nowMs: number; by: BotOfferSide | null; holdMs: number },
): BotOffer {
  const from = offer.progress.stage
  if (!NEXT_BOT_OFFER_STAGES[from].includes(to)) {
    throw new Error(`a trade offer cannot go from ${from} to ${to}`)
  }
  return {
    ...offer,
    progress: {
      ...offer.progress,
      ...changesAt(offer, to, { nowMs, by, holdMs }),
      stage: to,
      updatedAtMs: nowMs,
    },
  }
}

function changesAt(
  { plan }: BotOffer,
  to: BotOfferStage,
  { nowMs, by, holdMs }: { nowMs: number; by: BotOfferSide | null; holdMs: number },
): Partial<BotOfferProgress> {
  if (to === 'active') return { sentAtMs: nowMs, expiresAtMs: nowMs + plan.windowMs }
  if (to === 'held') return { acceptedAtMs: nowMs, settlesAtMs: nowMs + holdMs }
  return { endedAtMs: nowMs, endedBy: by }
}

/** Beside the numbers of the markets' offers (9,393,000,000 and above). */
const FIRST_BOT_OFFER_ID = 7_121_000_000
const FIRST_TRADE_ID = 798_942_565_000_000_000n

export const botOfferIdOf = ({ seq }: BotOffer): string => String(FIRST_BOT_OFFER_ID + seq)

export function seqOfBotOfferId(offerId: string): number | null {
  if (!/^7\d{9}$/.test(offerId)) return null
  const seq = Number(offerId) - FIRST_BOT_OFFER_ID
  return seq > 0 ? seq : null
}

/** Null until the offer has been accepted. */
export const tradeIdOf = ({ seq, progress }: BotOffer): string | null =>
  progress.acceptedAtMs === null ? null : String(FIRST_TRADE_ID + BigInt(seq) * 2n)

/** The trade that undoes it. */
export const rollbackTradeIdOf = ({ seq, progress }: BotOffer): string | null =>
  progress.stage === 'reversed' ? String(FIRST_TRADE_ID + BigInt(seq) * 2n + 1n) : null

export function seqOfTradeId(tradeId: string): number | null {
  if (!/^\d{18}$/.test(tradeId)) return null
  const distance = BigInt(tradeId) - FIRST_TRADE_ID
  return distance > 0n && distance % 2n === 0n ? Number(distance / 2n) : null
}

/** Above every asset id that the dataset or the markets' orders give out. */
const FIRST_ASSET_ID = 4_800_000_000_000_000
const IDS_OF_ONE_OFFER = 1_000

export function moveOf(seq: number, place: number, item: { assetId: string; asset: Asset }): Move {
  const first = FIRST_ASSET_ID + seq * IDS_OF_ONE_OFFER + place * 2
  return {
    assetId: item.assetId,
    asset: item.asset,
    newAssetId: String(first),
    returnedAssetId: String(first + 1),
  }
}

export const MOST_MOVES = IDS_OF_ONE_OFFER / 2
