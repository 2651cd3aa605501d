import { type Static, Type } from 'typebox'
import { pageOf, pageQuery } from '../lists.ts'
import {
  BasisPoints,
  Currency,
  DateTime,
  EmailAddress,
  FilterText,
  MoneyNumber,
  PlatformId,
  SubUserExternalId,
  UserReference,
  UserStatus,
  Uuid,
  WalletStatus,
  WalletType,
} from '../primitives.ts'
import { describe, nullable, withExample } from '../schema.ts'

const text = Type.String()

const identity = {
  id: Uuid,
  email: nullable(text),
  platformId: nullable(text),
  externalId: nullable(text),
  status: UserStatus,
  feeBps: nullable(
    describe(BasisPoints, 'Service fee of its own on buys; null when the default holds.'),
  ),
  createdAt: DateTime,
}

export const SubUserListItem = Type.Object(
  { ...identity, currency: nullable(Currency), balance: MoneyNumber },
  { title: 'SubUserListItem' },
)
export type SubUserListItem = Static<typeof SubUserListItem>

export const SubUserListResponse = pageOf('SubUserListResponse', SubUserListItem)
export type SubUserListResponse = Static<typeof SubUserListResponse>

export const SubUserListQuery = Type.Object(
  {
    q: Type.Optional(
      withExample(
        describe(FilterText, 'The beginning of an email, externalId or platformId.'),
        'user-',
      ),
    ),
    status: Type.Optional(UserStatus),
    ...pageQuery,
  },
  { additionalProperties: false },
)
export type SubUserListQuery = Static<typeof SubUserListQuery>

export const CreateSubUserBody = Type.Object(
  {
    email: Type.Optional(EmailAddress),
    platformId: Type.Optional(PlatformId),
    externalId: Type.Optional(
      describe(
        SubUserExternalId,
        'Also makes the call repeatable: a known one answers its sub-user. No space at either end, and not the id of another account.',
      ),
    ),
    currency: Type.Optional(describe(Currency, 'The merchant’s own when absent.')),
  },
  {
    title: 'CreateSubUserBody',
    examples: [{ externalId: 'user-77', email: 'ada@example.com', currency: 'USD' }],
    additionalProperties: false,
  },
)
export type CreateSubUserBody = Static<typeof CreateSubUserBody>

export const CreateSubUserResponse = Type.Object(
  {
    ...identity,
    currency: Currency,
    idempotent: Type.Boolean({ description: 'True when the sub-user existed already.' }),
  },
  { title: 'CreateSubUserResponse' },
)
export type CreateSubUserResponse = Static<typeof CreateSubUserResponse>

export const SubUserWallet = Type.Object(
  { type: WalletType, status: WalletStatus, currency: nullable(Currency), balance: MoneyNumber },
  { title: 'SubUserWallet' },
)
export type SubUserWallet = Static<typeof SubUserWallet>

const limitCents = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 })
const limits = {
  perTradeCents: describe(limitCents, 'The most that one buy may cost.'),
  perDayCents: describe(
    limitCents,
    'The most that the buys of a UTC day may cost together, less what was refunded of them.',
  ),
  openTrades: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'How many buys may be open at once.',
  }),
}

export const SubUserLimits = Type.Object(Type.Partial(Type.Object(limits)).properties, {
  title: 'SubUserLimits',
  description: 'Amounts in cents of the wallet’s currency. What is absent is not limited.',
})
export type SubUserLimits = Static<typeof SubUserLimits>

export const SubUserResponse = Type.Object(
  {
    ...identity,
    wallet: nullable(SubUserWallet),
    limits: nullable(SubUserLimits),
  },
  { title: 'SubUserResponse' },
)
export type SubUserResponse = Static<typeof SubUserResponse>

export const UpdateSubUserBody = Type.Object(
  {
    email: Type.Optional(EmailAddress),
    platformId: Type.Optional(PlatformId),
    externalId: Type.Optional(SubUserExternalId),
    limits: Type.Optional(
      nullable(
        Type.Object(SubUserLimits.properties, {
          title: 'SubUserLimitsBody',
          additionalProperties: false,
          minProperties: 1,
        }),
      ),
    ),
  },
  {
    title: 'UpdateSubUserBody',
    examples: [{ email: 'ada@example.com', limits: { perDayCents: 50_000 } }],
    additionalProperties: false,
  },
)
export type UpdateSubUserBody = Static<typeof UpdateSubUserBody>

export const DeleteSubUserResponse = Type.Object(
  { id: Uuid, status: UserStatus },
  { title: 'DeleteSubUserResponse' },
)
export type DeleteSubUserResponse = Static<typeof DeleteSubUserResponse>

export const SubUserParams = Type.Object({
  id: describe(UserReference, 'The sub-user’s UUID or externalId.'),
})
export type SubUserParams = Static<typeof SubUserParams>
