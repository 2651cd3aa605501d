// What the dashboard shows a merchant beside the shapes of the merchant interface.
import { type Static, Type } from 'typebox'
import { asOf, cursorListOf, cursorQuery, Limit, staleCursorListOf } from '../lists.ts'
import {
  BasisPoints,
  Currency,
  DateTime,
  FilterText,
  filterListOf,
  MoneyNumber,
  TRADE_STATUSES,
  UserStatus,
  Uuid,
} from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { MerchantEvent } from './event.ts'
import { FeesResponse, MerchantTotals, TradeCounts } from './merchant.ts'
import { SubUserListItem, SubUserResponse } from './sub-user.ts'
import { TimelineEntry } from './timeline.ts'
import { MerchantTradesQuery, Trade } from './trade.ts'

const count = Type.Integer({ minimum: 0 })

export const OverviewQuery = Type.Object(
  {
    from: Type.Optional(describe(DateTime, '30 days ago when absent.')),
    to: Type.Optional(describe(DateTime, 'Now when absent; at most 366 days after `from`.')),
  },
  { title: 'OverviewQuery' },
)
export type OverviewQuery = Static<typeof OverviewQuery>
export const OverviewBucket = Type.Object(
  {
    at: describe(DateTime, 'Its start.'),
    trades: describe(count, 'Made in this time.'),
    completed: describe(count, 'Of these, those completed by now.'),
    inProgress: describe(count, 'Of these, those that have not ended by now, also those in hold.'),
    volume: describe(MoneyNumber, 'Of those completed, in the merchant’s currency.'),
    feesEarned: MoneyNumber,
  },
  { title: 'OverviewBucket' },
)
export type OverviewBucket = Static<typeof OverviewBucket>
const done = (what: string) => Type.Boolean({ description: what })
export const FirstSteps = Type.Object(
  {
    key: done('An API key was created.'),
    endpoint: done('An endpoint of webhooks has answered, and does not fail.'),
    wallet: done('There is, or was, money to buy with.'),
    subUser: done('A sub-user was created.'),
    purchase: done('A trade was made.'),
    passkey: done('The person has a passkey.'),
  },
  { title: 'FirstSteps' },
)
export type FirstSteps = Static<typeof FirstSteps>
export const Overview = Type.Object(
  {
    totals: MerchantTotals,
    byStatus: TradeCounts,
    previous: Type.Object(
      { volume: MoneyNumber, feesEarned: MoneyNumber, trades: count, completed: count },
      { description: 'Of the time before, of the same length.' },
    ),
    unit: describe(stringEnum(['hour', 'day']), 'Of the buckets; days are those of UTC.'),
    buckets: Type.Array(OverviewBucket),
    webhook: Type.Object({
      status: nullable(stringEnum(['enabled', 'disabled'])),
      failingSince: nullable(DateTime),
    }),
    firstSteps: describe(
      nullable(FirstSteps),
      'Of an account in its first 30 days; null after them, and when all is done.',
    ),
    ...asOf,
  },
  { title: 'Overview' },
)
export type Overview = Static<typeof Overview>

export const DashboardTradesQuery = Type.Object(
  { ...MerchantTradesQuery.properties, status: Type.Optional(filterListOf(TRADE_STATUSES)) },
  { additionalProperties: false },
)
export type DashboardTradesQuery = Static<typeof DashboardTradesQuery>
export const TradesOfAccount = staleCursorListOf('TradesOfAccount', Trade)
export const DashboardTrade = Type.Object(
  {
    ...Trade.properties,
    userName: describe(
      nullable(Type.String()),
      'The external id of the sub-user, else its e-mail address; null: the merchant itself.',
    ),
  },
  { title: 'DashboardTrade' },
)
export type DashboardTrade = Static<typeof DashboardTrade>
export const DashboardTrades = cursorListOf('DashboardTrades', DashboardTrade)
export const DashboardEvents = cursorListOf('DashboardEvents', MerchantEvent)

export const TradePosting = Type.Object(
  {
    journalId: Uuid,
    at: DateTime,
    kind: Type.String({ description: 'What was booked.' }),
    item: describe(nullable(Type.Integer()), 'Counted from 1; null for the whole trade.'),
    amount: MoneyNumber,
    currency: Currency,
    from: Type.String({ description: 'The account that was debited.' }),
    to: Type.String({ description: 'The account that was credited.' }),
  },
  { title: 'TradePosting' },
)
export type TradePosting = Static<typeof TradePosting>
export const TradeDelivery = Type.Object(
  {
    deliveryId: Uuid,
    accountId: describe(Uuid, 'Whose endpoint it went to: the account’s own, or that of a child.'),
    type: Type.String(),
    attempt: Type.Integer(),
    at: DateTime,
    durationMs: Type.Integer(),
    status: nullable(Type.Integer()),
    error: nullable(Type.String()),
  },
  { title: 'TradeDelivery' },
)
export type TradeDelivery = Static<typeof TradeDelivery>
/** Also what administrators read of a trade. */
export const TradeRecords = {
  postings: describe(
    Type.Array(TradePosting),
    'The road of every cent, in the order of the books.',
  ),
  deliveries: Type.Array(TradeDelivery),
}
/** All of one moment. */
export const TradePage = Type.Object(
  {
    trade: Trade,
    userExternalId: nullable(Type.String()),
    requestId: nullable(Uuid),
    timeline: Type.Array(TimelineEntry),
    explanation: describe(
      Type.Object({
        money: describe(Type.String(), 'Where its money is now, in a sentence.'),
        items: Type.Array(
          Type.Object({
            id: Uuid,
            where: describe(Type.String(), 'Where the item is now, as half a sentence.'),
            next: describe(
              Type.String(),
              'What happens next, and when; of an item that is over, its outcome.',
            ),
            isOver: Type.Boolean(),
          }),
        ),
      }),
      'The trade in words.',
    ),
    ...TradeRecords,
  },
  { title: 'TradePage' },
)
export type TradePage = Static<typeof TradePage>

export const MerchantFees = Type.Object(
  {
    ...FeesResponse.properties,
    feeBps: describe(BasisPoints, 'Service fee on the merchant’s own buys.'),
  },
  { title: 'MerchantFees' },
)
export type MerchantFees = Static<typeof MerchantFees>
/** What the service takes is no choice of the merchant. */
export const SetOwnFeesBody = Type.Object(
  {
    buyFeeBps: describe(BasisPoints, 'Added to the price of a sub-user’s buy.'),
    sellFeeBps: describe(BasisPoints, 'Taken off the payout of a sub-user’s sell.'),
  },
  {
    title: 'SetOwnFeesBody',
    examples: [{ buyFeeBps: 200, sellFeeBps: 150 }],
  },
)

export const DashboardSubUsersQuery = Type.Object(
  {
    ...cursorQuery,
    q: Type.Optional(
      describe(FilterText, 'An id, or the beginning of an email, externalId or platformId.'),
    ),
    status: Type.Optional(UserStatus),
  },
  { title: 'DashboardSubUsersQuery' },
)
/** A sub-user, and what it has used of its limits. */
export const DashboardSubUser = Type.Object(
  {
    ...SubUserResponse.properties,
    used: nullable(
      Type.Object(
        {
          dayCents: describe(
            Type.Integer(),
            'What its buys of this UTC day cost, less what was refunded of them; cents of its wallet.',
          ),
          openTrades: describe(count, 'Buys that are open.'),
        },
        { title: 'SubUserLimitUse', description: 'Null without limits.' },
      ),
    ),
  },
  { title: 'DashboardSubUser' },
)
export type DashboardSubUser = Static<typeof DashboardSubUser>

export const DashboardSubUsers = cursorListOf('DashboardSubUsers', SubUserListItem)

export const DashboardEventsQuery = Type.Object(
  {
    ...cursorQuery,
    type: Type.Optional(describe(FilterText, 'Event types, separated by commas.')),
  },
  { title: 'DashboardEventsQuery' },
)

const AuditCursor = Type.String({ pattern: '^[1-9][0-9]{0,17}$' })
export const AuditQuery = Type.Object(
  {
    cursor: Type.Optional(describe(AuditCursor, 'The previous answer’s nextCursor.')),
    limit: Limit,
    act: Type.Optional(FilterText),
    actorId: Type.Optional(describe(FilterText, 'Of the person or program that acted.')),
    subjectType: Type.Optional(FilterText),
    subjectId: Type.Optional(FilterText),
    from: Type.Optional(DateTime),
    to: Type.Optional(DateTime),
  },
  { title: 'AuditQuery' },
)
export const AuditSubject = Type.Object({
  type: Type.String(),
  id: nullable(Type.String()),
  name: describe(
    nullable(Type.String()),
    'Of a person or an account; the address of a webhook endpoint; what a deposit asks for; the reference of a withdrawal.',
  ),
})
export const AuditItem = Type.Object(
  {
    id: AuditCursor,
    at: DateTime,
    actor: Type.Object({
      kind: Type.String(),
      id: Type.String(),
      name: describe(nullable(Type.String()), 'The person’s e-mail address.'),
      request: describe(
        Type.Record(Type.String(), Type.String()),
        'Where the act came from: address, request id.',
      ),
    }),
    act: Type.String(),
    subject: AuditSubject,
    facts: Type.Record(Type.String(), Type.Unknown()),
    changes: describe(
      Type.Record(Type.String(), Type.Unknown()),
      'By field: what it was before and after.',
    ),
  },
  { title: 'AuditItem' },
)
export type AuditItem = Static<typeof AuditItem>
export const AuditItems = Type.Object(
  { items: Type.Array(AuditItem), nextCursor: nullable(AuditCursor) },
  { title: 'AuditItems' },
)
