// Adjustments of wallets by two administrators.
import { type Static, Type } from 'typebox'
import { cursorListOf, cursorQuery } from '../lists.ts'
import {
  Currency,
  DateTime,
  MoneyNumber,
  PositiveAmountString,
  textLine,
  Uuid,
} from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { AdminReason } from './dashboard-admin-accounts.ts'

const posting = {
  wallet: stringEnum(['spot', 'earnings']),
  side: describe(
    stringEnum(['credit', 'debit']),
    'A credit pays the wallet from the service’s adjustment account, a debit takes from it.',
  ),
  amount: PositiveAmountString,
}
export const PlanAdjustmentBody = Type.Object(
  {
    account: textLine(254, {
      description:
        'An id, an e-mail address that logs in, or the whole name of a merchant, a partner or a child.',
    }),
    ...posting,
  },
  { title: 'PlanAdjustmentBody' },
)
const planned = {
  debit: describe(Type.String(), 'The account that is debited.'),
  credit: describe(Type.String(), 'The account that is credited.'),
  amount: MoneyNumber,
  currency: Currency,
  balanceAfter: describe(MoneyNumber, 'What the posting makes of `balanceBefore`.'),
}
export const PlannedAdjustment = Type.Object(
  {
    accountId: describe(Uuid, 'The account that was meant.'),
    accountName: Type.String(),
    accountEmail: nullable(Type.String()),
    ...planned,
    balanceBefore: describe(MoneyNumber, 'Of the wallet.'),
  },
  { title: 'PlannedAdjustment' },
)
export type PlannedAdjustment = Static<typeof PlannedAdjustment>

export const ProposeAdjustmentBody = Type.Object(
  {
    accountId: Uuid,
    ...posting,
    id: describe(Uuid, 'Made with the form: a form that is sent twice proposes once.'),
    reason: AdminReason,
    reference: textLine(128, {
      description: 'Such as the id of a bank transfer. Of one account it is posted once.',
    }),
  },
  { title: 'ProposeAdjustmentBody' },
)
export const ADJUSTMENT_STATES = ['proposed', 'approved', 'withdrawn', 'expired'] as const
export const AdminAdjustment = Type.Object(
  {
    id: Uuid,
    accountId: Uuid,
    accountName: Type.String(),
    accountEmail: nullable(Type.String()),
    wallet: posting.wallet,
    side: posting.side,
    ...planned,
    balanceBefore: describe(MoneyNumber, 'What the wallet held when it was proposed.'),
    reason: Type.String(),
    reference: Type.String(),
    state: describe(stringEnum(ADJUSTMENT_STATES), 'Expired: it had no approval within 72 hours.'),
    proposedBy: Type.String(),
    proposedAt: DateTime,
    isOwn: describe(Type.Boolean(), 'Proposed by the one who asks: another one must approve it.'),
    decidedBy: nullable(Type.String()),
    decidedAt: nullable(DateTime),
    decision: nullable(describe(Type.String(), 'Why it was withdrawn.')),
    journalId: nullable(Uuid),
  },
  { title: 'AdminAdjustment' },
)
export type AdminAdjustment = Static<typeof AdminAdjustment>
export const AdminAdjustments = cursorListOf('AdminAdjustments', AdminAdjustment)
export const AdjustmentsQuery = Type.Object(
  {
    ...cursorQuery,
    state: Type.Optional(stringEnum(['proposed', 'approved', 'withdrawn'])),
  },
  { title: 'AdjustmentsQuery' },
)
export const AdjustmentParams = Type.Object({ id: Uuid }, { title: 'AdjustmentParams' })
export const WithdrawAdjustmentBody = Type.Object(
  { reason: AdminReason },
  { title: 'WithdrawAdjustmentBody' },
)
