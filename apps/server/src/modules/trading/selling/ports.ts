// What selling needs from outside the service: the game platform, where our bots take items from users. An
// adapter translates the platform's protocol into these types and knows nothing of sells.
import type { SendGuard } from '#infra/jobs/send-guard'

/**
 * What came of a call, without exceptions for answers. `rejected`: certain, nothing happened. `unknown`:
 * it may have happened. `unavailable`: certain, it was not attempted or not accepted.
 */
export type Outcome<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | {
      readonly kind: 'rejected'
      readonly reason: PlatformRejection
      readonly detail: string
    }
  | { readonly kind: 'unknown'; readonly detail: string }
  | { readonly kind: 'unavailable'; readonly detail: string; readonly retryAfterMs: number }

export type PlatformRejection =
  | 'url_invalid'
  | 'profile_private'
  | 'inventory_private'
  | 'trade_ban'
  | 'target_cannot_trade'
  | 'trade_hold'
  | 'probation'
  | 'offer_limit'
  | 'items_gone'
  | 'inventory_full'
  | 'bot_restricted'

export interface AssetRef {
  readonly assetId: string
  /** 2: the ordinary inventory; 16: what came by a trade and is still protected. */
  readonly contextId: '2' | '16'
}

export interface PlatformItem extends AssetRef {
  readonly classId: string
  readonly instanceId: string
  readonly marketHashName: string
  readonly name: string
  readonly type: string
  /** The raw icon hash. */
  readonly iconUrl: string
  readonly tradable: boolean
  readonly exterior: string | null
  readonly rarity: string | null
  readonly color: string | null
  /** The bare hex of an inspect link. What it says is display data that its author may have made up. */
  readonly previewToken: string | null
  readonly wearText: string | null
  readonly paintSeed: number | null
  readonly paintIndex: number | null
  readonly stickers: readonly {
    readonly name: string
    readonly slot: number
    readonly wearText: string | null
    readonly iconUrl: string
  }[]
  readonly charm: {
    readonly name: string
    readonly pattern: number | null
    readonly iconUrl: string
  } | null
}

/** Carried from the request that caused a call to the log line of the call. */
export interface CallContext {
  readonly requestId: string
}

/** For a call that moves items: the adapter begins its guard when the bot has its turn, and passes it on. */
export interface GuardedContext extends CallContext {
  readonly guard: SendGuard
}

/** Of a read for a tenant: the platform counts all reads together, and no tenant takes those of another. */
export interface ReadContext extends CallContext {
  readonly tenantId: string
  /** What was read before this moment is not answered again; null: whatever is kept may be. */
  readonly notBefore: Date | null
}

/** Reads an inventory as an anonymous caller; every call has a deadline of its own. */
export interface Inventories {
  read(
    platformId: string,
    context: ReadContext,
  ): Promise<Outcome<{ readonly items: readonly PlatformItem[]; readonly readAt: Date }>>
}

export interface Bot {
  /** Its platform id. */
  readonly id: string
  readonly online: boolean
  readonly restrictedUntil: Date | null
  readonly activeOffers: number
  /** Slots left in its inventory. */
  readonly freeSlots: number
}

/** What was seen of an offer; only moves forward. */
export interface OfferSnapshot {
  readonly offerId: string
  readonly state:
    | 'needs_confirmation'
    | 'active'
    | 'accepted'
    | 'countered'
    | 'expired'
    | 'canceled'
    | 'declined'
    | 'invalid_items'
    | 'in_escrow'
    | 'unknown'
  readonly canceledBy: 'us' | 'them' | null
  /** Known once it was accepted. */
  readonly tradeId: string | null
  /** What the user gives. */
  readonly assets: readonly AssetRef[]
  readonly updatedAt: Date
}

/** An offer as a bot's own list of what it sent shows it. */
export interface SentOffer {
  readonly snapshot: OfferSnapshot
  /** The message to the user, with our offer intent id in it as a word. */
  readonly message: string
  /** What the bot gives. Nothing of ours is given for what a user sells. */
  readonly gives: readonly AssetRef[]
}

export interface SentOffers {
  readonly offers: readonly SentOffer[]
  /** Every row of the list could be read: what is not in it is not there. */
  readonly isWhole: boolean
}

/** What was seen of the exchange that an accepted offer led to. */
export interface ExchangeSnapshot {
  readonly tradeId: string
  readonly state: 'pending' | 'complete' | 'failed' | 'reverted' | 'in_escrow'
  readonly rollbackTradeId: string | null
  /** An asset has a new id in the hands of its new owner. */
  readonly received: readonly {
    readonly assetId: string
    readonly newAssetId: string
    readonly newContextId: '2' | '16'
  }[]
  readonly settlesAt: Date | null
}

export interface NewOffer {
  /** Committed before the call; stands in the offer's message. */
  readonly offerIntentId: string
  readonly botId: string
  /** 32-bit account id of the user's trade URL. */
  readonly partner: number
  readonly token: string
  readonly take: readonly AssetRef[]
  readonly give: readonly AssetRef[]
  readonly message: string
}

/** Our own accounts on the platform; every call has a deadline of its own and never throws for an answer. */
export interface Bots {
  /** All that have ever been seen, also those that are no longer ours. */
  list(context: CallContext): Promise<readonly Bot[]>
  /** Those that this process acts as, seen or not. */
  configured(): Promise<readonly string[]>
  sendOffer(
    offer: NewOffer,
    context: GuardedContext,
  ): Promise<Outcome<{ readonly offerId: string }>>
  /**
   * After an unknown answer: the sent offer that carries the offer intent id and exactly these
   * assets, or null after a clean scan newer than `since`.
   */
  findOffer(
    question: {
      readonly offerIntentId: string
      readonly botId: string
      readonly take: readonly AssetRef[]
      readonly since: Date
    },
    context: CallContext,
  ): Promise<Outcome<OfferSnapshot | null>>
  /** Every offer that the bot has out, or that changed since then, ours or not. */
  listSent(botId: string, since: Date, context: CallContext): Promise<Outcome<SentOffers>>
  /** Snapshots of these offers of one bot; an id that is missing in the map was not read. */
  lookUp(
    botId: string,
    offerIds: readonly string[],
    context: CallContext,
  ): Promise<Outcome<ReadonlyMap<string, OfferSnapshot>>>
  /** Lets an offer out that waits for our phone: one that gives something away. */
  confirmOffer(
    botId: string,
    offerId: string,
    context: GuardedContext,
  ): Promise<Outcome<'confirmed'>>
  cancelOffer(
    botId: string,
    offerId: string,
    context: GuardedContext,
  ): Promise<Outcome<'canceled' | 'already_final'>>
  /** The exchange that an accepted offer became; the platform calls it a trade. */
  readExchange(
    botId: string,
    exchangeId: string,
    context: CallContext,
  ): Promise<Outcome<ExchangeSnapshot>>
}
