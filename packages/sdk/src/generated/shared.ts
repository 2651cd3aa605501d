// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export interface BroadcastEventData {
  /** The withdrawal as it is now. */
  withdrawal: Withdrawal
  /**
   * Of the transaction that pays it. It stays while its fees are raised; under another nonce it
   * would be another event.
   */
  nonce: number
}

export interface Charm {
  /** The name, for people. */
  name: string
  /** The number that places the pattern of the charm. */
  pattern?: number
  /** The hash of the picture at the platform. */
  iconUrl: string
}

export type CryptoEvmChain = 'ethereum' | 'base' | 'arbitrum' | 'optimism' | 'bsc'

export type Currency = 'USD' | 'EUR'

export interface CustodyDepositEventData {
  /** The deposit as it is now. */
  deposit: Deposit
  /** Your reference of that sub-user. */
  forUserExternalId: string | null
}

export type DeliveryMode = 'standard' | 'instant'

export interface Deposit {
  /** The id of this object. */
  id: string
  /** The account that it belongs to. */
  userId: string
  /** Your reference of the sub-user; null for an account of your own. */
  userExternalId: string | null
  /** How the money moves. */
  method: DepositMethod
  /** The current status. */
  status: DepositStatus
  /** Of the wallet. */
  currency: Currency
  /** The token. */
  token: string | null
  /** The chain. */
  chain: string | null
  /** What was asked for, in tokens. */
  payAmountToken: string | null
  /** What has arrived and is confirmed. */
  receivedAmountToken: string | null
  /** What the quote promised, or what was credited, in USD. */
  receiveAmountUsd: number | null
  /**
   * In the wallet’s currency, less what was taken back. 0 when the account had been deleted: the
   * money is put aside.
   */
  creditedAmount: number | null
  /** The provider’s, in USD. */
  fee: number | null
  /** US dollars for one token, or for one unit of the currency that a card pays in. */
  exchangeRate: number | null
  /** Where the payer sends tokens; null when there is no such address. */
  address: string | null
  /** The transaction on the chain. */
  txHash: string | null
  /** Blocks on top of the transfer; null for what is on no chain. */
  confirmations: number | null
  /** Why it failed, or what its provider is waiting for. */
  reason: string | null
  /** When it expires. */
  expiresAt: string | null
  /** When it was created. */
  createdAt: string
  /** When it last changed. */
  updatedAt: string
  /** When it was completed; null before. */
  completedAt: string | null
}

export interface DepositEventData {
  /** The deposit as it is now. */
  deposit: Deposit
}

export type DepositMethod = 'gateway' | 'onramp' | 'crypto'

export type DepositStatus =
  | 'initiated'
  | 'pending'
  | 'completed'
  | 'partial'
  | 'expired'
  | 'cancelled'
  | 'refunded'
  | 'failed'

export interface Doppler {
  /** True for an item of the Doppler family. */
  status: boolean
  /** The phase. */
  name: string
  /** The platform’s number of the finish. */
  paintIndex?: number
}

export type DopplerPhase =
  | 'Phase 1'
  | 'Phase 2'
  | 'Phase 3'
  | 'Phase 4'
  | 'Ruby'
  | 'Sapphire'
  | 'Black Pearl'
  | 'Emerald'

export interface EventRefund {
  /** The id of the refunded item in the trade. */
  itemId: string
  /** Your own reference. */
  externalId?: string
  /** Whether the buyer caused it. */
  buyerFault: boolean
  /** Returned to the wallet, fees included, in USD. */
  refunded: number
  /** Withheld for a fault of the buyer, in USD. */
  penalty: number
}

export interface FundBody {
  /** In the merchant’s currency. */
  amount: string
}

export interface FundResponse {
  /** The ledger row, the same in both accounts’ ledgers. */
  transactionId: string
  /** True when this repeats an earlier answer. */
  idempotent: boolean
}

export interface ItemRefund {
  /** Returned to the buyer; 0 when the user reverted the delivery. */
  amount: number
  /** Withheld for a fault of the buyer. amount + penalty = price. */
  penalty: number
  /** Whether the buyer caused it. */
  buyerFault: boolean
}

export interface MarketOrder {
  /** The id of this object. */
  id: string
  /** Your own reference. */
  externalId: string
  /** The account that buys. */
  userId: string
  /** Of the sub-user that buys; null when the merchant does. */
  userExternalId: string | null
  /** The catalogue’s id of the item. */
  itemId: string
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string
  /** The current status. */
  status: MarketOrderStatus
  /** Why nothing is bought now; null unless the order is paused. */
  pausedReason:
    | 'INSUFFICIENT_BALANCE'
    | 'ACCOUNT_SUSPENDED'
    | 'TRADEURL_INVALID_TOKEN'
    | 'SPENDING_LIMIT_REACHED'
    | 'SERVICE_DISABLED'
    | null
  /** For one unit, fees included. */
  maxPrice: number
  /** The currency of the amounts. */
  currency: Currency
  /** Units wanted. */
  quantity: number
  /** Fills that are completed or in their hold. */
  filled: number
  /** Fills under way. */
  pending: number
  /** What was given of them at creation. */
  filters: MarketOrderFilters
  /** Null: the primary trade URL at the time of the fill. */
  tradeUrl: string | null
  /** Of all fills, failed ones included, oldest first. */
  trades: string[]
  /** When it expires. */
  expiresAt: string
  /** When it was created. */
  createdAt: string
  /** When it last changed. */
  updatedAt: string
}

export interface MarketOrderEventData {
  /** The order. */
  order: MarketOrder
}

export interface MarketOrderFilters {
  /** standard takes any listing, instant only automatic delivery. */
  delivery?: DeliveryMode
  /** A listing whose wear is unknown does not fit. */
  minWear?: number
  /** A listing whose wear is unknown does not fit. */
  maxWear?: number
  /** One of these; a listing whose seed is unknown does not fit. */
  paintSeeds?: number[]
  /**
   * Of Doppler-type items only. Each phase has an item id of its own: it must be that of the item,
   * or the item one without a phase.
   */
  phase?: DopplerPhase
}

export type MarketOrderStatus = 'open' | 'paused' | 'filled' | 'cancelled' | 'expired'

export interface RefundEventData {
  /** The trade as it is now. */
  trade: Trade
  /** What was returned. */
  refund: EventRefund
}

export type RevertedBy = 'supplier' | 'user'

export type ServiceStatusValue = 'operational' | 'degraded' | 'down' | 'disabled' | 'paused'

export interface Settlement {
  /** The service’s fee, in cents. */
  houseFeeCents: number
  /** Your fee, in cents. */
  merchantFeeCents: number
}

export interface SettlementEventData {
  /** The trade as it is now. */
  trade: Trade
  /** The fees that were posted. */
  settlement: Settlement
}

export interface StatusEventData {
  /** Which part of the service has another status. */
  component: 'trading' | 'market' | 'platform' | 'deposit' | 'payout'
  /**
   * The market, or the chain of a deposit or payout; null where there is none, as of gateway and
   * on-ramp.
   */
  name: string | null
  /** What it has now; `paused` of trading alone. */
  status: ServiceStatusValue
  /** What it had before. */
  previous: ServiceStatusValue
  /** Since when it has the status. */
  since: string
  /** Why trading is paused; absent in every other change. */
  reason?: string
}

export interface Trade {
  /** The id of this object. */
  id: string
  /** What kind of object this is. */
  type: TradeType
  /** The account that buys or sells. */
  userId: string
  /** The platform account of the buyer or seller. */
  platformId: string
  /** The trade URL that it is delivered to. */
  tradeUrl: string
  /** Of a trade with one item; else see the items. */
  offerId?: string
  /** Your own reference. */
  externalId?: string
  /** The market order that the trade fills. */
  marketOrderId?: string
  /** The current status. */
  status: TradeStatus
  /** The game. */
  game: string
  /** The rows of this page, or the parts of this object. */
  items: TradeItem[]
  /** How many of its items are where. */
  summary: TradeSummary
  /** The sum of the items’ prices. */
  totalPrice: number
  /** The currency of the amounts. */
  currency: Currency
  /** The latest of the items’ hold ends. */
  holdEndDate?: string
  /** When its fees were posted. */
  settledAt?: string
  /** Who took the delivery back. */
  revertedBy?: RevertedBy
  /** The first failed item’s code when the whole trade failed. */
  error?: string
  /** When it was created. */
  createdAt: string
  /** When it last changed. */
  updatedAt: string
}

export interface TradeEventData {
  /** The trade as it is now. */
  trade: Trade
}

export type TradeFailureCode =
  | 'LISTING_UNAVAILABLE'
  | 'NO_LISTING_AT_PRICE'
  | 'PRICE_CHANGED'
  | 'TRADE_URL_INVALID'
  | 'STEAM_ACCOUNT_RESTRICTED'
  | 'BUYER_TRADE_RESTRICTED'
  | 'OFFER_NOT_ACCEPTED'
  | 'MARKET_UNAVAILABLE'
  | 'PURCHASE_FAILED'

export interface TradeItem {
  /** A stable handle of this item in its trade. */
  id: string
  /** Your own reference. */
  externalId?: string
  /** The name, for people. */
  name: string | null
  /** The name of the item on the platform; the key of an item in most systems. */
  marketHashName: string | null
  /** The type as the platform writes it. */
  type: string | null
  /** The hash of the picture at the platform. */
  iconUrl: string | null
  /** Fees included, in the currency of the trade. */
  price: number
  /** The name of the wear, such as Field-Tested. */
  exterior?: string
  /** The rarity. */
  rarity?: string
  /** The colour of the rarity, as hexadecimal RGB. */
  color?: string
  /** The phase of a Doppler finish. */
  phase?: string
  /** The float value as text. */
  wear?: string
  /** The number that places the pattern. */
  paintSeed?: number
  /** Stickers on the item. */
  stickers?: TradeSticker[]
  /** The charm on the item. */
  charm?: Charm
  /** standard or instant. */
  delivery?: string
  /** The current status. */
  status: TradeStatus
  /** Whether the thing can be traded now. */
  tradable: boolean
  /** The platform offer that carries the item; the latest one. */
  offerId?: string
  /** Set when the status is failed or declined. */
  error?: TradeFailureCode
  /** The market’s own words, for debugging only. */
  errorDetail?: string
  /** What was returned. */
  refund?: ItemRefund
}

export type TradeStatus =
  | 'initiated'
  | 'pending'
  | 'active'
  | 'hold'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'declined'
  | 'reverted'

export interface TradeSticker {
  /** The name, for people. */
  name: string
  /** Where the sticker is, from 0. */
  slot: number
  /** 0 is fresh; null when the market does not say. */
  wear: number | null
  /** The hash of the picture at the platform. */
  iconUrl: string
}

export interface TradeSummary {
  /** How many there are in all. */
  total: number
  /** Items in hold and completed items. */
  delivered: number
  /** Items whose hold is over and that are settled. */
  completed: number
  /** Failed, declined, canceled and reverted items. */
  failed: number
}

export type TradeType = 'buy' | 'sell'

export interface TransactionHistory {
  /** The rows of this page, or the parts of this object. */
  items: TransactionItem[]
  /** The `cursor` of the next slice; null on the last one. */
  nextCursor: string | null
}

export interface TransactionItem {
  /** The id of this object. */
  id: string
  /** What kind of object this is. */
  type: TransactionType
  /** What it is, for people. */
  description: string
  /** The current status. */
  status: TransactionStatus
  /** Signed: plus is a credit, minus a debit. */
  amount: number
  /** When it happened. */
  occurredAt: string
  /** The object that caused the posting, such as a trade; null when there is none. */
  externalRef: string | null
}

export type TransactionStatus = 'posted' | 'reversed'

export type TransactionType =
  | 'deposit_credit'
  | 'withdrawal_debit'
  | 'trade_payment'
  | 'trade_refund'
  | 'trade_payout'
  | 'fee_credit'
  | 'fund_in'
  | 'fund_out'
  | 'transfer_in'
  | 'transfer_out'
  | 'adjustment'

export interface WalletBalance {
  /** The currency of the amounts. */
  currency: Currency
  /** What the wallet has. */
  balance: number
}

export type WalletType = 'spot' | 'earnings'

export interface Withdrawal {
  /** The id of this object. */
  id: string
  /** The merchant. */
  userId: string
  /** Your reference: one withdrawal for each. */
  externalId: string
  /** The sub-user that it is attributed to. */
  forUserId: string | null
  /** Your reference of that sub-user. */
  forUserExternalId: string | null
  /** The current status. */
  status: WithdrawalStatus
  /** The chain. */
  chain: string
  /** The token. */
  token: string
  /** The contract; 0xeeee… stands for the native coin. */
  tokenAddress: string
  /** The address outside that is paid. */
  destination: string
  /** The amount in US cents. */
  amountCents: number
  /** The network fee, taken from custody in the same token, on top. */
  feeCents: number
  /** Base units of the token on its chain. */
  amountWei: string
  /** The transaction on the chain. */
  txHash: string | null
  /** Why it was refunded. */
  failureReason: string | null
  /** How often the approval callback was asked. */
  callbackAttempts: number
  /** When it was created. */
  createdAt: string
  /** When it was sent to the chain. */
  broadcastAt: string | null
  /** When it became final. */
  confirmedAt: string | null
}

export interface WithdrawalEventData {
  /** The withdrawal as it is now. */
  withdrawal: Withdrawal
}

export type WithdrawalStatus =
  | 'pending_callback'
  | 'queued'
  | 'broadcast'
  | 'confirmed'
  | 'refunded'
