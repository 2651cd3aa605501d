// What belongs to one account, as administrators list it.
import { type Static, Type } from 'typebox'
import { cursorQuery, staleCursorListOf } from '../lists.ts'
import { DateTime, TRADE_STATUSES, TRADE_TYPES, UserStatus, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { DepositMethod, DepositStatus } from './deposit.ts'
import { WithdrawalStatus } from './payout.ts'

const time = { from: Type.Optional(DateTime), to: Type.Optional(DateTime) }

export const AccountTradesQuery = Type.Object(
  {
    ...cursorQuery,
    status: Type.Optional(stringEnum(TRADE_STATUSES)),
    type: Type.Optional(stringEnum(TRADE_TYPES)),
    ...time,
  },
  { title: 'AccountTradesQuery' },
)
export const AccountDepositsQuery = Type.Object(
  {
    ...cursorQuery,
    status: Type.Optional(DepositStatus),
    method: Type.Optional(DepositMethod),
    ...time,
  },
  { title: 'AccountDepositsQuery' },
)
export const AccountWithdrawalsQuery = Type.Object(
  { ...cursorQuery, status: Type.Optional(WithdrawalStatus), ...time },
  { title: 'AccountWithdrawalsQuery' },
)
export const SubAccountsQuery = Type.Object(
  { ...cursorQuery, status: Type.Optional(UserStatus) },
  { title: 'SubAccountsQuery' },
)
export const SubAccount = Type.Object(
  {
    id: Uuid,
    kind: stringEnum(['child', 'sub_user']),
    name: nullable(describe(Type.String(), 'Its external id, e-mail address or name.')),
    status: UserStatus,
    createdAt: DateTime,
  },
  { title: 'SubAccount' },
)
export type SubAccount = Static<typeof SubAccount>
export const SubAccounts = staleCursorListOf('SubAccounts', SubAccount)
