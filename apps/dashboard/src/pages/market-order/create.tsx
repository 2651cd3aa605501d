// The dialog that creates a market order, from their list or from the page of an item.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Text } from '../../kit/text.tsx'
import { texts } from '../../texts/texts.ts'
import { Demand } from './demand.tsx'

const words = texts.merchant.marketOrders

/** Whole: while it is typed nothing is asked. */
const ITEM_ID = /^[0-9a-f]{16}$/

interface CreateMarketOrderProps {
  /** Left out: its id is asked for. */
  readonly item?: { readonly id: string; readonly name: string }
  readonly onClose: () => void
}

/** Leads to the page of the order. */
export function CreateMarketOrder({ item, onClose }: CreateMarketOrderProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  // One for each dialog: sent again after a lost answer, it orders once.
  const [externalId] = useState(() => `dashboard-${crypto.randomUUID()}`)
  const [itemId, setItemId] = useState(item?.id ?? '')
  const create = async (values: FormData): Promise<void> => {
    const [wanted, subUserId, maxPrice, quantity, maxWear, tradeUrl] = [
      ...['itemId', 'subUserId', 'maxPrice', 'quantity', 'maxWear', 'tradeUrl'],
    ].map((name) => textOf(values, name))
    const order = await call('createMarketOrder', {
      body: {
        ...{ externalId, itemId: wanted ?? '', maxPrice: maxPrice ?? '' },
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
          // The field that has the focus at first is the first one: Tab leads through all the others.
          <>
            {item ? (
              <p>
                <Text>{item.name}</Text>
                <input type="hidden" name="itemId" value={item.id} />
              </p>
            ) : (
              <Field
                {...{ label: words.itemId, name: 'itemId', hint: words.itemIdHint }}
                problem={problems.itemId}
                onChange={({ target }) => setItemId(target.value.trim())}
                required
                autoFocus
              />
            )}
            {ITEM_ID.test(itemId) && (
              <p>
                {words.demand}: <Demand itemId={itemId} />
              </p>
            )}
            <Field
              {...{ label: words.maxPrice, name: 'maxPrice', hint: words.maxPriceHint }}
              problem={problems.maxPrice}
              inputMode="decimal"
              required
              autoFocus={item !== undefined}
            />
            <Field
              {...{ label: words.quantity, name: 'quantity', hint: words.quantityHint }}
              problem={problems.quantity}
              {...{ type: 'number', min: 1, max: 100, defaultValue: 1 }}
              required
            />
            <Field
              {...{ label: words.maxWear, name: 'maxWear', problem: problems.maxWear }}
              {...{ inputMode: 'decimal', pattern: '0(\\.\\d+)?|1(\\.0+)?', title: words.wearForm }}
            />
            <Field
              {...{ label: words.userOptional, name: 'subUserId', hint: words.userHint }}
              problem={problems.subUserId}
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
