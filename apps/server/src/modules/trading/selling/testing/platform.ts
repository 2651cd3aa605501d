// A game platform that answers exactly as a test scripts it: for answers that no sandbox gives on demand,
// such as a lost one, or a reversal between two reads.
import type { SendGuard } from '#infra/jobs/send-guard'
import type {
  Bot,
  Bots,
  ExchangeSnapshot,
  Inventories,
  NewOffer,
  OfferSnapshot,
  Outcome,
  PlatformItem,
} from '../ports.ts'

const CALL_DEADLINE_MS = 10_000

export interface ScriptedPlatform extends Bots, Inventories {
  readonly bots: Map<string, Bot>
  /** Null: all that are seen. */
  acting: readonly string[] | null
  readonly items: Map<string, PlatformItem[]>
  /** What the next sends are answered; `lost` and `lost-unsent`: of one that was, or was not, made. */
  readonly answers: (Outcome<{ offerId: string }> | 'lost' | 'lost-unsent' | Error)[]
  readonly sent: NewOffer[]
  readonly offers: Map<string, OfferSnapshot & { offerIntentId: string; botId: string }>
  readonly exchanges: Map<string, ExchangeSnapshot>
  readonly canceled: string[]
  readonly confirmed: string[]
  readonly reads: string[]
  inventory: 'public' | 'private' | 'away'
  online: boolean
  /** What a cancel is answered; null: as it is. */
  cancelAnswer: Outcome<'canceled' | 'already_final'> | null
  /** What a guarded call waits for before the bot's turn, and between the turn and the first byte. */
  beforeTurn?: () => Promise<void>
  afterTurn?: () => Promise<void>
  /** Runs between the moment that an offer exists and the answer of its send. */
  onSend: (() => Promise<void>) | null
  /** Offers that neither lists nor look-ups show. */
  readonly hidden: Set<string>
  isListWhole: boolean
  /** The user's move on the offer that carries this asset. */
  report(assetId: string, state: OfferSnapshot['state'], overrides?: Partial<OfferSnapshot>): void
  /** The user accepted: an exchange of what the offer asks for, or of something else. */
  accept(assetId: string, overrides?: Partial<ExchangeSnapshot>): void
  revert(assetId: string): void
}

export const aBot = (id: string, overrides: Partial<Bot> = {}): Bot => ({
  id,
  online: true,
  restrictedUntil: null,
  activeOffers: 0,
  freeSlots: 900,
  ...overrides,
})

export const anAsset = (assetId: string, overrides: Partial<PlatformItem> = {}): PlatformItem => ({
  assetId,
  contextId: '2',
  classId: '310776560',
  instanceId: '0',
  marketHashName: 'AK-47 | Redline (Field-Tested)',
  name: 'AK-47 | Redline',
  type: 'Classified Rifle',
  iconUrl: 'icon',
  tradable: true,
  exterior: 'Field-Tested',
  rarity: 'Classified',
  color: 'd32ce6',
  previewToken: null,
  wearText: '0.2345',
  paintSeed: 7,
  paintIndex: 282,
  stickers: [],
  charm: null,
  ...overrides,
})

/** Offer ids are of one platform, however often a test opens it. */
let nextId = 1000

export function scriptedPlatform(): ScriptedPlatform {
  const at = new Date('2026-11-21T12:00:00.000Z')
  const away = { kind: 'unavailable', detail: 'away', retryAfterMs: 5000 } as const
  const heldBack = { kind: 'unavailable', detail: 'not under its lease', retryAfterMs: 0 } as const
  const offerWith = (assetId: string) => {
    const found = [...platform.offers.values()].find((offer) =>
      offer.assets.some((asset) => asset.assetId === assetId),
    )
    if (!found) throw new Error(`no offer asks for ${assetId}`)
    return found
  }
  const mayLeave = async (guard: SendGuard): Promise<boolean> => {
    await platform.beforeTurn?.()
    if (!(await guard.begin())) return false
    await platform.afterTurn?.()
    return guard.remainingMs() >= CALL_DEADLINE_MS
  }
  const make = (offer: NewOffer): string => {
    const offerId = String(nextId++)
    platform.offers.set(offerId, {
      offerId,
      offerIntentId: offer.offerIntentId,
      botId: offer.botId,
      state: 'active',
      canceledBy: null,
      tradeId: null,
      assets: offer.take,
      updatedAt: at,
    })
    return offerId
  }
  const platform: ScriptedPlatform = {
    acting: null,
    bots: new Map([['76561190000000001', aBot('76561190000000001')]]),
    items: new Map(),
    answers: [],
    sent: [],
    offers: new Map(),
    exchanges: new Map(),
    canceled: [],
    confirmed: [],
    reads: [],
    inventory: 'public',
    online: true,
    cancelAnswer: null,
    onSend: null,
    hidden: new Set(),
    isListWhole: true,
    report: (assetId, state, overrides = {}) => {
      const offer = offerWith(assetId)
      platform.offers.set(offer.offerId, { ...offer, state, ...overrides })
    },
    accept: (assetId, overrides = {}) => {
      const offer = offerWith(assetId)
      const tradeId = `x${offer.offerId}`
      platform.offers.set(offer.offerId, { ...offer, state: 'accepted', tradeId })
      platform.exchanges.set(tradeId, {
        tradeId,
        state: 'complete',
        rollbackTradeId: null,
        received: offer.assets.map((asset) => ({
          assetId: asset.assetId,
          newAssetId: `9${asset.assetId}`,
          newContextId: '16' as const,
        })),
        settlesAt: null,
        ...overrides,
      })
    },
    revert: (assetId) => {
      const tradeId = offerWith(assetId).tradeId ?? ''
      const exchange = platform.exchanges.get(tradeId)
      if (exchange)
        platform.exchanges.set(tradeId, { ...exchange, state: 'reverted', rollbackTradeId: '77' })
    },

    read: async (platformId) => {
      platform.reads.push(platformId)
      if (platform.inventory === 'away') return away
      if (platform.inventory === 'private') {
        return { kind: 'rejected', reason: 'inventory_private', detail: 'null' }
      }
      return { kind: 'ok', value: { items: platform.items.get(platformId) ?? [], readAt: at } }
    },
    list: async () => [...platform.bots.values()],
    configured: async () => [...(platform.acting ?? platform.bots.keys())],
    sendOffer: async (offer, { guard }) => {
      if (!(await mayLeave(guard))) return heldBack
      const answer = platform.answers.shift()
      if (answer === undefined || answer === 'lost') {
        platform.sent.push(offer)
        const offerId = make(offer)
        await platform.onSend?.()
        return answer === 'lost'
          ? { kind: 'unknown', detail: 'the connection was cut' }
          : { kind: 'ok', value: { offerId } }
      }
      if (answer instanceof Error) throw answer
      if (answer === 'lost-unsent') return { kind: 'unknown', detail: 'the connection was cut' }
      return answer
    },
    findOffer: async ({ offerIntentId, botId, take }) => {
      if (!platform.online) return away
      const wanted = take
        .map((asset) => asset.assetId)
        .sort()
        .join()
      const found = [...platform.offers.values()].find(
        (offer) =>
          offer.offerIntentId === offerIntentId &&
          offer.botId === botId &&
          offer.assets
            .map((asset) => asset.assetId)
            .sort()
            .join() === wanted,
      )
      return { kind: 'ok', value: found ?? null }
    },
    listSent: async (botId) => {
      if (!platform.online || platform.acting?.includes(botId) === false) return away
      const offers = [...platform.offers.values()]
        .filter((offer) => offer.botId === botId && !platform.hidden.has(offer.offerId))
        .map(({ offerIntentId, ...snapshot }) => ({
          snapshot,
          message: `Sale ${offerIntentId}`,
          gives: [],
        }))
      return { kind: 'ok', value: { offers, isWhole: platform.isListWhole } }
    },
    lookUp: async (_botId, offerIds) => {
      if (!platform.online) return away
      const found = new Map<string, OfferSnapshot>()
      for (const id of offerIds) {
        const offer = platform.offers.get(id)
        if (offer && !platform.hidden.has(id)) found.set(id, offer)
      }
      return { kind: 'ok', value: found }
    },
    confirmOffer: async (_botId, offerId, { guard }) => {
      if (!(await mayLeave(guard))) return heldBack
      platform.confirmed.push(offerId)
      const offer = platform.offers.get(offerId)
      if (offer?.state !== 'needs_confirmation') return away
      platform.offers.set(offerId, { ...offer, state: 'active' })
      return { kind: 'ok', value: 'confirmed' }
    },
    cancelOffer: async (_botId, offerId, { guard }) => {
      if (!(await mayLeave(guard))) return heldBack
      platform.canceled.push(offerId)
      if (platform.cancelAnswer) return platform.cancelAnswer
      const offer = platform.offers.get(offerId)
      if (!offer || !['active', 'needs_confirmation', 'in_escrow'].includes(offer.state)) {
        return { kind: 'ok', value: 'already_final' }
      }
      platform.offers.set(offerId, { ...offer, state: 'canceled', canceledBy: 'us' })
      return { kind: 'ok', value: 'canceled' }
    },
    readExchange: async (_botId, tradeId) => {
      const exchange = platform.exchanges.get(tradeId)
      if (!platform.online || !exchange) return away
      return { kind: 'ok', value: exchange }
    },
  }
  return platform
}
