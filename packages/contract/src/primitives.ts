// The words that every shape is made of.
import { type Static, Type } from 'typebox'
import {
  AMOUNT_PATTERN,
  HEADER_REFERENCE_PATTERN,
  ITEM_ID_PATTERN,
  LISTING_ID_PATTERN,
  LISTING_RAW_ID_PATTERN,
  listPattern,
  PLATFORM_ID_PATTERN,
  POSITIVE_AMOUNT_PATTERN,
  REFERENCE_PATTERN,
  TEXT_LIST_PATTERN,
  TEXT_PATTERN,
  VISIBLE_NAME_PATTERN,
  VISIBLE_TEXT_PATTERN,
} from './patterns.ts'
import { stringEnum } from './schema.ts'
import { type TradeFailureCode as FailureCode, TRADE_FAILURES } from './trade-failures.ts'
import { MAX_TRADE_URL_LENGTH } from './trade-url.ts'

export const Uuid = Type.String({
  format: 'uuid',
  examples: ['019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d'],
})

/** RFC 3339. What the service writes is always UTC with milliseconds. */
export const DateTime = Type.String({ format: 'date-time', examples: ['2026-11-21T09:30:00.000Z'] })

/** A calendar day in UTC. */
export const CalendarDate = Type.String({ format: 'date', examples: ['2026-11-21'] })

/** Whole cents. */
export const Cents = Type.Integer()

/** An amount of money with at most two decimals, in the currency that its shape names. */
export const MoneyNumber = Type.Number()

/** Hundredths of a percent. */
export const BasisPoints = Type.Integer({ minimum: 0, maximum: 10_000 })

export const AmountString = Type.String({
  pattern: AMOUNT_PATTERN,
  maxLength: 12,
  examples: ['5.50'],
})

/** An amount of which zero is not one. */
export const PositiveAmountString = Type.String({
  pattern: POSITIVE_AMOUNT_PATTERN,
  maxLength: 12,
  examples: ['5.50'],
})

export const ItemId = Type.String({ pattern: ITEM_ID_PATTERN, examples: ['9f86d081884c7d65'] })

export const ListingId = Type.String({ pattern: LISTING_ID_PATTERN, examples: ['4700012345'] })

export const ListingRawId = Type.String({
  pattern: LISTING_RAW_ID_PATTERN,
  examples: ['market_a:4700012345'],
})

/** A reference that the merchant chose. */
export const ExternalId = Type.String({ minLength: 1, maxLength: 128, pattern: REFERENCE_PATTERN })

/** What a merchant calls a sub-user; it travels in the header `On-Behalf-Of`. */
export const SubUserExternalId = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: HEADER_REFERENCE_PATTERN,
})

/** A sub-user, by the service's UUID or by the merchant's externalId. */
export const UserReference = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: TEXT_PATTERN,
  examples: ['user-77'],
})

/** What a person types on one line and others read: a name, a label, a reason. Not blank, not invisible. */
export const textLine = (
  maxLength: number,
  rest: { readonly description?: string; readonly examples?: string[] } = {},
) => Type.String({ minLength: 1, maxLength, pattern: VISIBLE_TEXT_PATTERN, ...rest })

/** Of a merchant or a partner: without a space at its ends, since who closes the account types it out. */
export const AccountName = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: VISIBLE_NAME_PATTERN,
})

/** A filter on text. */
export const FilterText = Type.String({ minLength: 1, maxLength: 128, pattern: TEXT_PATTERN })

/** A comma-separated filter whose values depend on the catalogue. */
export const FilterList = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: TEXT_LIST_PATTERN,
  description: 'One value, or several separated by commas.',
})

/** A comma-separated filter over a closed set. */
export const filterListOf = (values: readonly string[]) =>
  Type.String({
    minLength: 1,
    maxLength: 2048,
    pattern: listPattern(values),
    description: `One or several, separated by commas: ${values.join(', ')}.`,
    examples: values.slice(0, 1),
  })

export const PlatformId = Type.String({
  pattern: PLATFORM_ID_PATTERN,
  examples: ['76561198000000001'],
})

/** The community host is a setting, so the pattern lives in the format that the server registers. */
export const TradeUrlText = Type.String({
  format: 'trade-url',
  maxLength: MAX_TRADE_URL_LENGTH,
  description:
    'As the platform shows it: https, its host, `partner` and `token` once each. What else is in it is ' +
    'dropped; it is stored, compared and answered in one form.',
  examples: ['https://steamcommunity.com/tradeoffer/new/?partner=39734273&token=accept00'],
})

export const EmailAddress = Type.String({ format: 'email', maxLength: 254 })

export const CURRENCIES = ['USD', 'EUR'] as const
export const Currency = stringEnum(CURRENCIES, { title: 'Currency' })
export type Currency = Static<typeof Currency>

export const ROLES = ['user', 'merchant', 'admin'] as const
export const Role = stringEnum(ROLES, { title: 'Role' })
export type Role = Static<typeof Role>

export const USER_STATUSES = ['active', 'suspended', 'deleted'] as const
export const UserStatus = stringEnum(USER_STATUSES, { title: 'UserStatus' })
export type UserStatus = Static<typeof UserStatus>

export const WALLET_TYPES = ['spot', 'earnings'] as const
export const WalletType = stringEnum(WALLET_TYPES, { title: 'WalletType' })
export type WalletType = Static<typeof WalletType>

export const WALLET_STATUSES = ['active', 'suspended', 'closed'] as const
export const WalletStatus = stringEnum(WALLET_STATUSES, { title: 'WalletStatus' })
export type WalletStatus = Static<typeof WalletStatus>

export const TRADE_STATUSES = [
  'initiated',
  'pending',
  'active',
  'hold',
  'completed',
  'failed',
  'canceled',
  'declined',
  'reverted',
] as const
export const TradeStatus = stringEnum(TRADE_STATUSES, { title: 'TradeStatus' })
export type TradeStatus = Static<typeof TradeStatus>

export const MARKET_ORDER_STATUSES = ['open', 'paused', 'filled', 'cancelled', 'expired'] as const
export const MarketOrderStatus = stringEnum(MARKET_ORDER_STATUSES, { title: 'MarketOrderStatus' })
export type MarketOrderStatus = Static<typeof MarketOrderStatus>

export const PAUSED_REASONS = [
  'INSUFFICIENT_BALANCE',
  'ACCOUNT_SUSPENDED',
  'TRADEURL_INVALID_TOKEN',
  'SPENDING_LIMIT_REACHED',
  'SERVICE_DISABLED',
] as const

export const TRADE_TYPES = ['buy', 'sell'] as const
export const TradeType = stringEnum(TRADE_TYPES, { title: 'TradeType' })
export type TradeType = Static<typeof TradeType>

export const TradeFailureCode = stringEnum(Object.keys(TRADE_FAILURES) as FailureCode[], {
  title: 'TradeFailureCode',
})
export type TradeFailureCode = Static<typeof TradeFailureCode>

export const REVERTED_BY = ['supplier', 'user'] as const
export const RevertedBy = stringEnum(REVERTED_BY, { title: 'RevertedBy' })
export type RevertedBy = Static<typeof RevertedBy>

export const DELIVERY_MODES = ['standard', 'instant'] as const
export const DeliveryMode = stringEnum(DELIVERY_MODES, { title: 'DeliveryMode' })
export type DeliveryMode = Static<typeof DeliveryMode>

export const TWO_FACTOR_METHODS = ['email', 'totp'] as const
export const TwoFactorMethod = stringEnum(TWO_FACTOR_METHODS, { title: 'TwoFactorMethod' })
export type TwoFactorMethod = Static<typeof TwoFactorMethod>

export const ITEM_CATEGORIES = ['Normal', 'Souvenir', 'StatTrak™'] as const
export const ItemCategory = stringEnum(ITEM_CATEGORIES, { title: 'ItemCategory' })
export type ItemCategory = Static<typeof ItemCategory>

export const DOPPLER_PHASES = [
  'Phase 1',
  'Phase 2',
  'Phase 3',
  'Phase 4',
  'Ruby',
  'Sapphire',
  'Black Pearl',
  'Emerald',
] as const
export const DopplerPhase = stringEnum(DOPPLER_PHASES, { title: 'DopplerPhase' })
export type DopplerPhase = Static<typeof DopplerPhase>

export const SEARCH_SORTS = ['relevance', 'nameAsc', 'nameDesc', 'priceAsc', 'priceDesc'] as const
export const SearchSort = stringEnum(SEARCH_SORTS, { title: 'SearchSort' })
export type SearchSort = Static<typeof SearchSort>

export const LISTING_SORTS = ['priceAsc', 'priceDesc', 'wearAsc', 'wearDesc'] as const
export const ListingSort = stringEnum(LISTING_SORTS, { title: 'ListingSort' })
export type ListingSort = Static<typeof ListingSort>

export const MARKET_LISTING_SORTS = [...LISTING_SORTS, 'newest'] as const
export const MarketListingSort = stringEnum(MARKET_LISTING_SORTS, { title: 'MarketListingSort' })
export type MarketListingSort = Static<typeof MarketListingSort>

export const TRANSACTION_TYPES = [
  'deposit_credit',
  'withdrawal_debit',
  'trade_payment',
  'trade_refund',
  'trade_payout',
  'fee_credit',
  'fund_in',
  'fund_out',
  'transfer_in',
  'transfer_out',
  'adjustment',
] as const
export const TransactionType = stringEnum(TRANSACTION_TYPES, { title: 'TransactionType' })
export type TransactionType = Static<typeof TransactionType>

export const TRANSACTION_STATUSES = ['posted', 'reversed'] as const
export const TransactionStatus = stringEnum(TRANSACTION_STATUSES, { title: 'TransactionStatus' })
export type TransactionStatus = Static<typeof TransactionStatus>
