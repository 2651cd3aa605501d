// Market orders of the merchant and its sub-users, and the dialog that creates one.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { choice, text } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { Text } from '../../kit/text.tsx'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
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
              userExternalId === null ? words.merchantItself : <Text>{userExternalId}</Text>,
          },
          ...ORDER_COLUMNS,
        ]}
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </>
  )
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  // One for each dialog: sent again after a lost answer, it orders once.
  const [externalId] = useState(() => `dashboard-${crypto.randomUUID()}`)
  const create = async (values: FormData): Promise<void> => {
    const [itemId, subUserId, maxPrice, quantity, maxWear, tradeUrl] = [
      ...['itemId', 'subUserId', 'maxPrice', 'quantity', 'maxWear', 'tradeUrl'],
    ].map((name) => textOf(values, name))
    const order = await call('createMarketOrder', {
      body: {
        ...{ externalId, itemId: itemId ?? '', maxPrice: maxPrice ?? '' },
        quantity: Number(quantity),
        ...(subUserId && { subUserId }),
        ...(maxWear && { maxWear: Number(maxWear) }),
        ...(tradeUrl && { tradeUrl }),
      },
    })
    await queries.invalidateQueries({ queryKey: ['listMarketOrders'] })
    await navigate({ to: '/market-orders/$id', params: { id: order.id } })
  }
  return (
    <Dialog title={words.create} onClose={onClose}>
      <Form submit={words.create} done={null} onCancel={onClose} onSubmit={create}>
        {(problems) => (
          <>
            <Field
              {...{ label: words.itemId, name: 'itemId', hint: words.itemIdHint }}
              problem={problems.itemId}
              required
              autoFocus
            />
            <Field
              {...{ label: words.userOptional, name: 'subUserId', hint: words.userHint }}
              problem={problems.subUserId}
            />
            <Field
              {...{ label: words.maxPrice, name: 'maxPrice', hint: words.maxPriceHint }}
              problem={problems.maxPrice}
              inputMode="decimal"
              required
            />
            <Field
              {...{ label: words.quantity, name: 'quantity', hint: words.quantityHint }}
              problem={problems.quantity}
              {...{ type: 'number', min: 1, max: 100, defaultValue: 1 }}
              required
            />
            <Field
              {...{ label: words.maxWear, name: 'maxWear', problem: problems.maxWear }}
              inputMode="decimal"
            />
            <Field
              {...{ label: words.tradeUrl, name: 'tradeUrl', hint: words.tradeUrlHint }}
              problem={problems.tradeUrl}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}
