import { type Static, Type } from 'typebox'
import {
  BasisPoints,
  Cents,
  Currency,
  DateTime,
  MoneyNumber,
  Role,
  TwoFactorMethod,
  Uuid,
  WalletType,
} from '../primitives.ts'
import { describe, nullable } from '../schema.ts'
import { WalletBalance } from './wallet.ts'

export const MerchantProfile = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    emailVerified: Type.Boolean(),
    country: nullable(Type.String()),
    roles: Type.Array(Role),
    twoFactorEnabled: Type.Boolean(),
    twoFactorMethod: nullable(TwoFactorMethod),
    feeBps: describe(BasisPoints, 'Service fee on the merchant’s own buys.'),
    buyFeeBps: describe(BasisPoints, 'The merchant’s cut on buys of its sub-users.'),
    sellFeeBps: describe(BasisPoints, 'The merchant’s cut on payouts of its sub-users’ sells.'),
    childDefaultFeeBps: nullable(BasisPoints),
    wallets: Type.Object({ spot: nullable(WalletBalance), earnings: nullable(WalletBalance) }),
    createdAt: DateTime,
  },
  { title: 'MerchantProfile' },
)
export type MerchantProfile = Static<typeof MerchantProfile>

export const FeesResponse = Type.Object(
  {
    buyFeeBps: BasisPoints,
    sellFeeBps: BasisPoints,
    childDefaultFeeBps: nullable(BasisPoints),
    globalDefaultFeeBps: BasisPoints,
    effectiveChildFeeBps: describe(
      BasisPoints,
      'Service fee on a buy of a sub-user that has no fee of its own.',
    ),
    fxSpreadBps: describe(
      BasisPoints,
      'Taken off the rate of the day when a fund or defund converts between currencies.',
    ),
  },
  { title: 'FeesResponse' },
)
export type FeesResponse = Static<typeof FeesResponse>

export const MerchantTotals = Type.Object(
  {
    tradeCount: Type.Integer(),
    gmv: MoneyNumber,
    gmvCents: Cents,
    feesEarnedCents: Cents,
    feesEarned: MoneyNumber,
    spotBalance: MoneyNumber,
    earningsBalance: MoneyNumber,
    currency: nullable(Currency),
  },
  { title: 'MerchantTotals' },
)
export type MerchantTotals = Static<typeof MerchantTotals>

export const SubUserStats = Type.Object(
  {
    subUserId: Uuid,
    email: nullable(Type.String()),
    externalId: nullable(Type.String()),
    tradeCount: Type.Integer(),
    gmvCents: Cents,
    gmv: MoneyNumber,
    balance: MoneyNumber,
    feesContributedCents: Cents,
  },
  { title: 'SubUserStats' },
)
export type SubUserStats = Static<typeof SubUserStats>

const count = Type.Optional(Type.Integer())

export const TradeCounts = Type.Object(
  {
    initiated: count,
    pending: count,
    active: count,
    hold: count,
    completed: count,
    failed: count,
    canceled: count,
    declined: count,
    reverted: count,
  },
  { title: 'TradeCounts', description: 'Trades by status; a status without any may be missing.' },
)
export type TradeCounts = Static<typeof TradeCounts>

export const MerchantStats = Type.Object(
  {
    totals: MerchantTotals,
    bySubUser: Type.Array(SubUserStats),
    byStatus: TradeCounts,
  },
  { title: 'MerchantStats' },
)
export type MerchantStats = Static<typeof MerchantStats>

export const MerchantStatsQuery = Type.Object(
  { from: Type.Optional(DateTime), to: Type.Optional(DateTime) },
  { additionalProperties: false },
)
export type MerchantStatsQuery = Static<typeof MerchantStatsQuery>

export const MerchantWallet = Type.Object(
  { walletId: Uuid, type: WalletType, currency: Currency, balance: MoneyNumber },
  { title: 'MerchantWallet' },
)
export type MerchantWallet = Static<typeof MerchantWallet>

export const MerchantWallets = Type.Array(MerchantWallet)
export type MerchantWallets = Static<typeof MerchantWallets>
