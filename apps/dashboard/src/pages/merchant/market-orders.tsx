// Market orders of the merchant and its sub-users.
import { useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { choice, text } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { Text } from '../../kit/text.tsx'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { CreateMarketOrder } from '../market-order/create.tsx'
import { ORDER_COLUMNS } from '../market-order/parts.tsx'

const words = texts.merchant.marketOrders

export function MarketOrdersPage() {
  const [isCreating, setCreating] = useState(false)
  const mayWrite = useCapability('money.write')
  return (
    <>
      <ListPage
        title={words.title}
        act={() =>
          mayWrite && (
            <Button look="main" onClick={() => setCreating(true)}>
              {words.create}
            </Button>
          )
        }
        route="listMarketOrders"
        filters={[
          choice('status', words.status, words.statuses),
          text('subUserId', words.user, words.userHint),
          text('itemId', words.itemId),
          text('externalId', words.externalId),
        ]}
        keyOf={({ id }) => id}
        open={({ id }) => ({ to: '/market-orders/$id', params: { id } })}
        empty={words.empty}
        columns={[
          { head: words.item, cell: ({ marketHashName }) => <Text>{marketHashName}</Text> },
          {
            head: words.user,
            isMinor: true,
            cell: ({ userExternalId }) =>
              userExternalId === null ? words.own : <Text>{userExternalId}</Text>,
          },
          ...ORDER_COLUMNS,
        ]}
      />
      {isCreating && <CreateMarketOrder onClose={() => setCreating(false)} />}
    </>
  )
}
