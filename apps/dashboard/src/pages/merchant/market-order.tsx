// A market order: its terms, what it has bought, and what other orders want of the same item.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { MarketOrder } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { CopyId } from '../../kit/copy.tsx'
import { Columns, Facts } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Money } from '../../kit/money.tsx'
import { Badge, Failure, Notice } from '../../kit/notice.tsx'
import { Acts, Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Text } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetail } from '../../kit/waiting.tsx'
import { marketOrderDepthQuery, marketOrderQuery } from '../../queries/merchant.ts'
import { useCapability } from '../../queries/session.ts'
import { formatCount, texts } from '../../texts/texts.ts'
import { MARKET_ORDER_TONES } from '../tones.ts'

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
    await queries.invalidateQueries(marketOrderDepthQuery(id))
  }
  return (
    <Page
      title={words.one}
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
        <Columns aside={<OrderFacts order={order} />}>
          {order.pausedReason !== null && (
            <Notice tone="warn">
              {words.reasons[order.pausedReason]} {words.goesOn}
            </Notice>
          )}
          <Section title={words.fills}>
            <Table
              caption={words.fills}
              empty={words.noFill}
              rows={order.trades.map((tradeId) => ({ tradeId }))}
              keyOf={({ tradeId }) => tradeId}
              columns={[
                {
                  head: words.trade,
                  cell: ({ tradeId }) => (
                    <Link to="/trades/$id/{-$tab}" params={{ id: tradeId, tab: undefined }}>
                      <code>{tradeId}</code>
                    </Link>
                  ),
                },
              ]}
            />
          </Section>
          <Depth id={id} />
        </Columns>
      )}
      {asked === 'change' && order && (
        <ChangeDialog order={order} onDone={readAgain} onClose={() => setAsked(null)} />
      )}
      {asked === 'cancel' && (
        <Confirm
          title={words.cancel}
          act={words.cancel}
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

function OrderFacts({ order }: { readonly order: MarketOrder }) {
  const filters = Object.entries(order.filters).map(([name, value]) => `${name} ${value}`)
  return (
    <Facts
      facts={[
        [
          words.status,
          <Badge key="status" tone={MARKET_ORDER_TONES[order.status]}>
            {words.statuses[order.status]}
          </Badge>,
        ],
        [
          words.item,
          <Link key="item" to="/market/$id" params={{ id: order.itemId }}>
            <Text>{order.marketHashName}</Text>
          </Link>,
        ],
        [
          words.user,
          order.userExternalId === null ? (
            words.merchantItself
          ) : (
            <Text key="user">{order.userExternalId}</Text>
          ),
        ],
        [words.maxPrice, <Money key="price" amount={order.maxPrice} currency={order.currency} />],
        [words.filled, words.filledOf(formatCount(order.filled), formatCount(order.quantity))],
        [words.pending, formatCount(order.pending)],
        [words.filters, filters.join(', ') || words.noFilters],
        [words.deliveredTo, order.tradeUrl ?? words.primary],
        [words.externalId, <Text key="external">{order.externalId}</Text>],
        [words.expires, <Time key="expires" at={order.expiresAt} />],
        [words.created, <Time key="created" at={order.createdAt} />],
        [words.one, <CopyId key="id" value={order.id} what={words.one} />],
      ]}
    />
  )
}

function Depth({ id }: { readonly id: string }) {
  const { data: depth } = useQuery(marketOrderDepthQuery(id))
  return (
    <Section title={words.depth}>
      <p>{words.depthText}</p>
      {depth && (
        <Table
          caption={words.depth}
          empty={words.noDepth}
          rows={depth.levels}
          keyOf={({ maxPrice }) => String(maxPrice)}
          columns={[
            {
              head: words.maxPrice,
              align: 'end',
              cell: ({ maxPrice }) => <Money amount={maxPrice} currency={depth.currency} />,
            },
            {
              head: words.quantity,
              align: 'end',
              cell: ({ quantity }) => formatCount(quantity),
            },
          ]}
        />
      )}
    </Section>
  )
}

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
      <Form submit={words.change} onCancel={onClose} onSubmit={change}>
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
              {...{ label: words.quantity, name: 'quantity', hint: words.quantityHint }}
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
