// Market orders of all accounts.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { AdminMarketOrder } from '@tradepost/contract'
import { Columns } from '../../kit/detail.tsx'
import { choice, text } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { Text } from '../../kit/text.tsx'
import { WaitingDetail } from '../../kit/waiting.tsx'
import { anyMarketOrderQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'
import { Depth, Fills, ORDER_COLUMNS, OrderDetails, PauseNotice } from '../market-order/parts.tsx'
import { AccountLink } from './account-link.tsx'

const { marketOrders } = texts.merchant

export const AllMarketOrdersPage = () => (
  <ListPage
    title={marketOrders.title}
    route="listAllMarketOrders"
    filters={[
      choice('status', marketOrders.status, marketOrders.statuses),
      text('accountId', words.accountId),
      text('itemId', marketOrders.itemId),
    ]}
    keyOf={({ id }) => id}
    open={({ id }) => ({ to: '/admin/market-orders/$id', params: { id } })}
    empty={words.noMarketOrders}
    columns={[
      { head: marketOrders.item, cell: ({ marketHashName }) => <Text>{marketHashName}</Text> },
      { head: words.account, isMinor: true, cell: Merchant },
      ...ORDER_COLUMNS,
    ]}
  />
)

const Merchant = ({ tenantId, tenantName }: Pick<AdminMarketOrder, 'tenantId' | 'tenantName'>) => (
  <AccountLink id={tenantId} name={tenantName} />
)

export function AnyMarketOrderPage() {
  const { id } = useParams({ from: '/shell/admin/market-orders/$id' })
  const { data: order, error } = useQuery(anyMarketOrderQuery(id))
  return (
    <Page title={marketOrders.one} parent={[marketOrders.title, { to: '/admin/market-orders' }]}>
      {error && <Failure error={error} />}
      {order === undefined && !error && <WaitingDetail />}
      {order && (
        <Columns
          aside={
            <OrderDetails
              order={order}
              item={<Text>{`${order.marketHashName} (${order.itemId})`}</Text>}
              user={[
                [words.account, <Merchant key="merchant" {...order} />],
                [
                  marketOrders.user,
                  order.userExternalId === null ? (
                    marketOrders.merchantItself
                  ) : (
                    <AccountLink key="user" id={order.userId} name={order.userExternalId} />
                  ),
                ],
              ]}
            />
          }
        >
          <PauseNotice pausedReason={order.pausedReason} />
          <Fills
            order={order}
            linkOf={(tradeId) => ({ to: '/admin/trades/$id', params: { id: tradeId } })}
          />
          <Depth depth={order.depth} />
        </Columns>
      )}
    </Page>
  )
}
