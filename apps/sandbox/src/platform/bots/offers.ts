import { createAgenda } from '../../kernel/agenda.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Inventories } from '../inventories.ts'
import type { InventoryItem } from '../inventory-item.ts'
import type { TradeFault } from '../script.ts'
import type { Handovers } from './handovers.ts'
import {
  advanceBotOffer,
  type BotOffer,
  type BotOfferSide,
  type BotOfferStage,
  MOST_MOVES,
  moveOf,
  NEXT_BOT_OFFER_STAGES,
  nextOfBotOffer,
  planBotOffer,
  seqOfBotOfferId,
  seqOfTradeId,
} from './offer.ts'

export interface SendRequest {
  readonly botId: string
  readonly partner: number
  readonly partnerId: string
  readonly token: string
  readonly message: string
  readonly give: readonly string[]
  readonly take: readonly string[]
}

export type Sent =
  | { readonly kind: 'sent'; readonly offer: BotOffer }
  /** An asset is not there, or may not be traded. */
  | { readonly kind: 'items_gone' }
  | { readonly kind: 'too_many' }

export interface BotOffers {
  send(request: SendRequest): Sent
  find(offerId: string): BotOffer | undefined
  findByTrade(tradeId: string): BotOffer | undefined
  /** Newest first. */
  all(): Iterable<BotOffer>
  /** Null when the offer's stage does not allow it. */
  move(offer: BotOffer, to: BotOfferStage, by: BotOfferSide | null): BotOffer | null
  runDue(): void
  nextDueMs(): number | null
}

/** What the platform lets one account have out at once, and to one partner. */
const MOST_ACTIVE = 30
const MOST_TO_ONE_PARTNER = 5

export function createBotOffers(deps: {
  readonly clock: Clock
  readonly seed: number
  readonly store: Store
  readonly holdMs: number
  readonly inventories: Inventories
  readonly handovers: Handovers
  /** The word for the trade of the offer that is being made. */
  readonly takeTradeFault: () => string | null
}): BotOffers {
  const { clock, store, inventories, handovers } = deps
  const table = store.table('bot_offer')
  const offers: BotOffer[] = []
  const agenda = createAgenda<{ readonly seq: number; readonly from: BotOfferStage }>()

  const keepUp = (offer: BotOffer): void => {
    offers[offer.seq - 1] = offer
    handovers.follow(offer)
    const next = nextOfBotOffer(offer)
    if (next !== null) agenda.add(next.atMs, { seq: offer.seq, from: offer.progress.stage })
  }
  for (const { row } of table.rows()) keepUp(JSON.parse(row) as BotOffer)

  const step = (offer: BotOffer, to: BotOfferStage, by: BotOfferSide | null): BotOffer => {
    const after = advanceBotOffer(offer, to, { nowMs: clock.nowMs(), by, holdMs: deps.holdMs })
    table.write(after.seq, JSON.stringify(after))
    keepUp(after)
    return after
  }

  /** Null unless the owner has each of them once, and each is tradable. */
  const itemsOf = (owner: string, assetIds: readonly string[]): InventoryItem[] | null => {
    if (assetIds.length === 0) return []
    const owned = new Map(inventories.of(owner).map((item) => [item.assetId, item]))
    const items = assetIds.map((assetId) => owned.get(assetId))
    const free = items.filter((item) => item !== undefined).filter(({ tradable }) => tradable)
    return free.length === new Set(assetIds).size && free.length === assetIds.length ? free : null
  }

  /** An item may have moved to another account since the offer was made. */
  const accept = (offer: BotOffer): BotOffer => {
    const ids = (moves: BotOffer['take']): string[] => moves.map(({ assetId }) => assetId)
    const isThere =
      itemsOf(offer.partnerId, ids(offer.take)) !== null &&
      itemsOf(offer.botId, ids(offer.give)) !== null
    return isThere ? step(offer, 'held', 'partner') : step(offer, 'invalid_items', null)
  }

  const find = (seq: number | null): BotOffer | undefined => offers[(seq ?? 0) - 1]
  const isOut = ({ progress }: BotOffer): boolean =>
    progress.stage === 'active' || progress.stage === 'confirming'

  return {
    send(request) {
      const mine = offers.filter((offer) => offer.botId === request.botId && isOut(offer))
      const toPartner = mine.filter((offer) => offer.partner === request.partner)
      if (mine.length >= MOST_ACTIVE || toPartner.length >= MOST_TO_ONE_PARTNER) {
        return { kind: 'too_many' }
      }
      const give = itemsOf(request.botId, request.give)
      const take = itemsOf(request.partnerId, request.take)
      const count = request.give.length + request.take.length
      if (give === null || take === null || count === 0 || count > MOST_MOVES) {
        return { kind: 'items_gone' }
      }
      const seq = offers.length + 1
      const nowMs = clock.nowMs()
      const fault = deps.takeTradeFault()
      const plan = {
        ...planBotOffer(deps.seed, seq, request.token),
        ...(fault !== null && { tradeFault: fault as TradeFault }),
      }
      // Only an offer that gives something away needs a confirmation.
      const isConfirming = give.length > 0
      const { botId, partner, partnerId, token, message } = request
      const offer: BotOffer = {
        seq,
        botId,
        partner,
        partnerId,
        token,
        message,
        give: give.map((item, place) => moveOf(seq, place, item)),
        take: take.map((item, place) => moveOf(seq, give.length + place, item)),
        plan,
        createdAtMs: nowMs,
        progress: {
          stage: isConfirming ? 'confirming' : 'active',
          updatedAtMs: nowMs,
          sentAtMs: isConfirming ? null : nowMs,
          expiresAtMs: nowMs + plan.windowMs,
          acceptedAtMs: null,
          settlesAtMs: null,
          endedAtMs: null,
          endedBy: null,
        },
      }
      table.write(seq, JSON.stringify(offer))
      keepUp(offer)
      return { kind: 'sent', offer }
    },
    find: (offerId) => find(seqOfBotOfferId(offerId)),
    findByTrade(tradeId) {
      const offer = find(seqOfTradeId(tradeId))
      return offer?.progress.acceptedAtMs === null ? undefined : offer
    },
    *all() {
      for (let seq = offers.length; seq > 0; seq -= 1) {
        const offer = find(seq)
        if (offer !== undefined) yield offer
      }
    },
    move(offer, to, by) {
      const current = find(offer.seq) ?? offer
      if (!NEXT_BOT_OFFER_STAGES[current.progress.stage].includes(to)) return null
      return to === 'held' ? accept(current) : step(current, to, by)
    },
    runDue() {
      if ((agenda.nextAtMs() ?? Number.POSITIVE_INFINITY) > clock.nowMs()) return
      store.atomically(() => {
        for (;;) {
          const due = agenda.takeDue(clock.nowMs())
          if (due === undefined) return
          const offer = find(due.seq)
          if (offer === undefined || offer.progress.stage !== due.from) continue
          const to = nextOfBotOffer(offer)?.to
          if (to === undefined) continue
          if (to === 'held') accept(offer)
          else step(offer, to, to === 'released' || to === 'expired' ? null : 'partner')
        }
      })
    },
    nextDueMs: () => agenda.nextAtMs(),
  }
}
