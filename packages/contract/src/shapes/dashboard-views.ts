// Saved views: the filters of a list under a name, of a person within an account.
import { type Static, Type } from 'typebox'
import { textLine, Uuid } from '../primitives.ts'
import { describe, stringEnum } from '../schema.ts'

/** The lists that can be filtered, by the operations that read them. */
export const VIEWED_LISTS = [
  'listTrades',
  'listMarketOrders',
  'listLedger',
  'listUsers',
  'listUserLedger',
  'listChildLedger',
  'listEvents',
  'listDeliveries',
  'listDeliveriesOfChild',
  'listEndpointDeliveries',
  'listEndpointDeliveriesOfChild',
  'listEveryDelivery',
  'listEveryDeliveryOfChild',
  'listKeyRequests',
  'listKeyRequestsOfChild',
  'listAudit',
  'listAuditOfChild',
  'listOwnDeposits',
  'listOwnCustodyDeposits',
  'listOwnWithdrawals',
  'listOwnBatches',
  'listChildren',
  'listPartnerLedger',
  'listTransfers',
  'listPartnerOrders',
  'listAllTrades',
  'listAllMarketOrders',
  'listCases',
  'listAllDeliveries',
  'listAuditLog',
  'listAdjustments',
  'listTradesOfAccount',
  'listDepositsOfAccount',
  'listWithdrawalsOfAccount',
  'listDeliveriesOfAccount',
  'listUsersOfAccount',
  'listRequestsOfKey',
] as const
const ViewedList = stringEnum(VIEWED_LISTS, {
  title: 'ViewedList',
  description: 'The list, by the operation that reads it.',
})
export type ViewedList = Static<typeof ViewedList>

const ViewName = textLine(60, { examples: ['Failed this week'] })
const ViewQuery = Type.String({
  minLength: 1,
  maxLength: 1000,
  // Visible ASCII: what `URLSearchParams` writes.
  pattern: '^[\\x21-\\x7e]+$',
  description: 'The search parameters of the page that shows the list, as its address has them.',
  examples: ['status=failed'],
})

export const SavedView = Type.Object(
  { id: Uuid, list: ViewedList, name: ViewName, query: ViewQuery },
  { title: 'SavedView' },
)
export type SavedView = Static<typeof SavedView>

export const ViewsQuery = Type.Object({ list: ViewedList }, { title: 'ViewsQuery' })
export const SaveViewBody = Type.Object(
  {
    list: ViewedList,
    name: describe(ViewName, 'A view of the list with this name gets the new query.'),
    query: ViewQuery,
  },
  { title: 'SaveViewBody' },
)
export const ViewParams = Type.Object({ id: Uuid }, { title: 'ViewParams' })
export const RenameViewBody = Type.Object({ name: ViewName }, { title: 'RenameViewBody' })
