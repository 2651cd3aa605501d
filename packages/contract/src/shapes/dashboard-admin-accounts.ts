// Accounts as administrators of the service open, price, key and inspect them.
import { type Static, Type } from 'typebox'
import { TIERS } from '../limits.ts'
import {
  AccountName,
  BasisPoints,
  Currency,
  DateTime,
  EmailAddress,
  MoneyNumber,
  textLine,
  Uuid,
} from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { CreateKeyBody, DashboardKey, RotateKeyBody } from './dashboard-account.ts'
import { AdminAccount } from './dashboard-admin.ts'

export const AdminReason = textLine(500, { description: 'Kept in the audit log.' })

export const AccountFees = Type.Object(
  {
    feeBps: nullable(
      describe(BasisPoints, 'The service fee; null: of its parent, or the default.'),
    ),
    buyFeeBps: nullable(describe(BasisPoints, 'What the account earns on buys of its children.')),
    sellFeeBps: nullable(describe(BasisPoints, 'What a merchant earns on sells of its sub-users.')),
    childDefaultFeeBps: nullable(
      describe(
        BasisPoints,
        'The service fee of a merchant’s sub-users, unless they have their own.',
      ),
    ),
  },
  { title: 'AccountFees' },
)

export const CreateMerchantBody = Type.Object(
  {
    email: EmailAddress,
    name: AccountName,
    currency: Currency,
    tier: stringEnum(TIERS),
    feeBps: BasisPoints,
    buyFeeBps: BasisPoints,
    sellFeeBps: BasisPoints,
    childDefaultFeeBps: Type.Optional(BasisPoints),
  },
  { title: 'CreateMerchantBody' },
)
export const CreatePartnerBody = Type.Object(
  {
    email: EmailAddress,
    name: AccountName,
    feeBps: Type.Optional(BasisPoints),
    buyFeeBps: Type.Optional(BasisPoints),
  },
  { title: 'CreatePartnerBody' },
)
export const SetFeesBody = Type.Object(
  {
    feeBps: Type.Optional(BasisPoints),
    buyFeeBps: Type.Optional(BasisPoints),
    sellFeeBps: Type.Optional(BasisPoints),
    childDefaultFeeBps: Type.Optional(BasisPoints),
    reason: AdminReason,
  },
  {
    title: 'SetFeesBody',
    minProperties: 2,
    description:
      'What is left out stays. A partner has no sell fee, a child only a service fee of its own.',
  },
)

export const AdminAccountDetail = Type.Object(
  {
    ...AdminAccount.properties,
    kind: stringEnum(['merchant', 'partner', 'child', 'sub_user']),
    parentId: nullable(describe(Uuid, 'The merchant of a sub-user, the partner of a child.')),
    externalId: nullable(describe(Type.String(), 'What its merchant calls a sub-user.')),
    platformId: nullable(describe(Type.String(), 'The account on the game platform.')),
    fees: AccountFees,
    recoversDebts: describe(
      Type.Boolean(),
      'Debts of its users that are older than a day are taken from its spot wallet.',
    ),
    wallets: Type.Array(
      Type.Object({
        kind: stringEnum(['spot', 'earnings']),
        currency: Currency,
        balance: MoneyNumber,
      }),
    ),
    keys: Type.Array(DashboardKey),
    webhook: nullable(
      Type.Object({
        url: Type.String(),
        status: stringEnum(['enabled', 'disabled']),
        failingSince: nullable(DateTime),
      }),
    ),
    hasLogin: describe(
      Type.Boolean(),
      'A person logs in for it; without one it has its keys only.',
    ),
  },
  { title: 'AdminAccountDetail' },
)
export type AdminAccountDetail = Static<typeof AdminAccountDetail>

export const ImpersonateBody = Type.Object({ reason: AdminReason }, { title: 'ImpersonateBody' })
export const BegunImpersonation = Type.Object(
  { accountId: Uuid, expiresAt: DateTime },
  { title: 'BegunImpersonation' },
)
export const EndedImpersonation = Type.Object(
  { ended: Type.Literal(true) },
  { title: 'EndedImpersonation' },
)

export const AdminKeyBody = CreateKeyBody
export const AdminRotateBody = RotateKeyBody
export const RevokeKeyBody = Type.Object({ reason: AdminReason }, { title: 'RevokeKeyBody' })
