// What the dashboard shows a partner beside the shapes of the partner interface.
import { type Static, Type } from 'typebox'
import { asOf, cursorListOf, cursorQuery } from '../lists.ts'
import {
  BasisPoints,
  DateTime,
  EmailAddress,
  FilterText,
  MoneyNumber,
  UserStatus,
  Uuid,
} from '../primitives.ts'
import { describe, nullable } from '../schema.ts'
import { Overview } from './dashboard-merchant.ts'
import { PartnerStats } from './partner/children.ts'
import { OrderStatusCode, PartnerOrder } from './partner/order.ts'

const count = Type.Optional(Type.Integer({ minimum: 0 }))
export const OrderCounts = Type.Object(
  {
    INITIATED: count,
    PENDING: count,
    ACTIVE: count,
    HOLD: count,
    COMPLETED: count,
    FAILED: count,
    REVERTED: count,
  },
  { title: 'OrderCounts', description: 'How many orders are in each state; absent: none.' },
)

const { firstSteps: _, ...figures } = Overview.properties
/** A partner has no earnings wallet: its fees go to its own balance. */
export const PartnerOverview = Type.Object(
  { ...figures, byStatus: OrderCounts },
  { title: 'PartnerOverview' },
)
export type PartnerOverview = Static<typeof PartnerOverview>

export const DashboardChild = Type.Object(
  {
    id: Uuid,
    apiKeyId: describe(Uuid, 'Names the child on the partner interface.'),
    email: nullable(EmailAddress),
    name: nullable(Type.String()),
    status: UserStatus,
    balance: describe(MoneyNumber, 'In USD.'),
    createdAt: DateTime,
  },
  { title: 'DashboardChild' },
)
export type DashboardChild = Static<typeof DashboardChild>
export const DashboardChildren = cursorListOf('DashboardChildren', DashboardChild)

export const DashboardChildrenQuery = Type.Object(
  {
    ...cursorQuery,
    q: Type.Optional(describe(FilterText, 'The beginning of an e-mail address.')),
    status: Type.Optional(describe(UserStatus, 'Deleted children only when they are asked for.')),
  },
  { title: 'DashboardChildrenQuery' },
)

export const ChildParams = Type.Object({ id: Uuid })

export const DashboardChildDetail = Type.Object(
  { ...DashboardChild.properties, stats: PartnerStats, ...asOf },
  { title: 'DashboardChildDetail' },
)
export type DashboardChildDetail = Static<typeof DashboardChildDetail>

export const DashboardTransfer = Type.Object(
  {
    id: describe(Uuid, 'The ledger row, the same in both accounts’ ledgers.'),
    childId: nullable(Uuid),
    email: describe(nullable(EmailAddress), 'Of the child.'),
    amount: describe(MoneyNumber, 'In USD, to the child; negative when a transfer was reversed.'),
    reference: nullable(Type.String({ description: 'The idempotency key of the transfer.' })),
    occurredAt: DateTime,
  },
  { title: 'DashboardTransfer' },
)
export type DashboardTransfer = Static<typeof DashboardTransfer>
export const DashboardTransfers = cursorListOf('DashboardTransfers', DashboardTransfer)

export const DashboardTransfersQuery = Type.Object(
  {
    ...cursorQuery,
    childId: Type.Optional(Uuid),
    from: Type.Optional(DateTime),
    to: Type.Optional(DateTime),
  },
  { title: 'DashboardTransfersQuery' },
)

export const PartnerFees = Type.Object(
  {
    platformFeeBps: describe(BasisPoints, 'The service fee: of the sourcing price of a buy.'),
    isAgreed: Type.Boolean({
      description: 'It was agreed for this partner; else the general one.',
    }),
    partnerFeeBps: describe(BasisPoints, 'What the partner adds to buys of its children.'),
    withdrawFeeBps: describe(BasisPoints, 'What the service takes of a withdrawal.'),
  },
  { title: 'PartnerFees' },
)
export type PartnerFees = Static<typeof PartnerFees>
export const SetPartnerFeeBody = Type.Object(
  { partnerFeeBps: BasisPoints },
  { title: 'SetPartnerFeeBody', examples: [{ partnerFeeBps: 200 }] },
)

export const DashboardOrder = Type.Object(
  {
    ...PartnerOrder.properties,
    accountId: describe(Uuid, 'Who bought: a child, or the partner itself.'),
    email: describe(nullable(EmailAddress), 'Of the child; null for the partner’s own order.'),
  },
  { title: 'DashboardOrder' },
)
export type DashboardOrder = Static<typeof DashboardOrder>
export const DashboardOrders = cursorListOf('DashboardOrders', DashboardOrder)

export const DashboardOrdersQuery = Type.Object(
  {
    ...cursorQuery,
    childId: Type.Optional(Uuid),
    status: Type.Optional(OrderStatusCode),
    itemName: Type.Optional(describe(FilterText, 'Any part of the market hash name.')),
    from: Type.Optional(DateTime),
    to: Type.Optional(DateTime),
  },
  { title: 'DashboardOrdersQuery' },
)
