// A market order: its terms, what it has bought, and what other orders want of the same item.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { MarketOrder } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Columns } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Acts, Page } from '../../kit/page.tsx'
import { Text } from '../../kit/text.tsx'
import { WaitingDetail } from '../../kit/waiting.tsx'
import { itemDepthQuery, marketOrderQuery } from '../../queries/merchant.ts'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { Depth, Fills, OrderDetails, PauseNotice } from '../market-order/parts.tsx'

const words = texts.merchant.marketOrders

export function MarketOrderPage() {
  const { id } = useParams({ from: '/shell/market-orders/$id' })
  const { data: order, error } = useQuery(marketOrderQuery(id))
  const [asked, setAsked] = useState<'change' | 'cancel' | null>(null)
  const queries = useQueryClient()
  const mayWrite = useCapability('money.write')
  const isAlive = order?.status === 'open' || order?.status === 'paused'
  const readAgain = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['listMarketOrders'] })
    await queries.invalidateQueries(marketOrderQuery(id))
    await queries.invalidateQueries({ queryKey: ['getItemDepth'] })
  }
  return (
    <Page
      title={order?.marketHashName ?? words.one}
      parent={[words.title, { to: '/market-orders' }]}
      act={
        mayWrite &&
        isAlive && (
          <Acts>
            <Button onClick={() => setAsked('change')}>{words.change}</Button>
            <Button onClick={() => setAsked('cancel')}>{words.cancel}</Button>
          </Acts>
        )
      }
    >
      {error && <Failure error={error} />}
      {order === undefined && !error && <WaitingDetail />}
      {order && (
        <Columns aside={<OwnDetails order={order} />}>
          <PauseNotice pausedReason={order.pausedReason} />
          <Fills
            order={order}
            linkOf={(tradeId) => ({
              to: '/trades/$id/{-$tab}',
              params: { id: tradeId, tab: undefined },
            })}
          />
          <DepthOfItem order={order} />
        </Columns>
      )}
      {asked === 'change' && order && (
        <ChangeDialog order={order} onDone={readAgain} onClose={() => setAsked(null)} />
      )}
      {asked === 'cancel' && (
        <Confirm
          title={words.cancel}
          act={words.cancel}
          done={words.canceled}
          look="danger"
          onClose={() => setAsked(null)}
          onConfirm={async () => {
            await call('cancelMarketOrder', { params: { orderId: id } })
            await readAgain()
          }}
        >
          <p>{words.cancelText}</p>
        </Confirm>
      )}
    </Page>
  )
}

function DepthOfItem({ order: { itemId, currency } }: { readonly order: MarketOrder }) {
  const { data: depth } = useQuery(itemDepthQuery(itemId, currency))
  return <Depth depth={depth} />
}

const OwnDetails = ({ order }: { readonly order: MarketOrder }) => (
  <OrderDetails
    order={order}
    item={
      <Link to="/market/$id" params={{ id: order.itemId }}>
        <Text>{order.marketHashName}</Text>
      </Link>
    }
    user={[
      [
        words.user,
        order.userExternalId === null ? words.own : <Text key="user">{order.userExternalId}</Text>,
      ],
    ]}
  />
)

function ChangeDialog({
  order,
  onDone,
  onClose,
}: {
  readonly order: MarketOrder
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
}) {
  const change = async (values: FormData): Promise<void> => {
    const [maxPrice, quantity] = ['maxPrice', 'quantity'].map((name) => textOf(values, name))
    await call('changeMarketOrder', {
      params: { orderId: order.id },
      body: { ...(maxPrice && { maxPrice }), ...(quantity && { quantity: Number(quantity) }) },
    })
    await onDone()
    onClose()
  }
  return (
    <Dialog title={words.change} onClose={onClose}>
      <Form submit={words.change} done={words.changed} onCancel={onClose} onSubmit={change}>
        {(problems) => (
          <>
            <Field
              {...{ label: words.maxPrice, name: 'maxPrice', hint: words.maxPriceHint }}
              problem={problems.maxPrice}
              inputMode="decimal"
              defaultValue={order.maxPrice.toFixed(2)}
              required
              autoFocus
            />
            <Field
              {...{ label: words.quantity, name: 'quantity', hint: words.changedQuantityHint }}
              problem={problems.quantity}
              {...{ type: 'number', min: 1, max: 100, defaultValue: order.quantity }}
              required
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}
