import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { TradePage as TradeDetails } from '@tradepost/contract'
import { Text } from '../../kit/text.tsx'
import { childQuery } from '../../queries/partner.ts'
import { sessionQuery } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { TradeView } from '../trade/trade-view.tsx'

const words = texts.partner.orders

/** An order of the partner or of one of its children. */
export function OrderPage() {
  const { id, tab } = useParams({ from: '/shell/orders/$id/{-$tab}' })
  const { data: session } = useQuery(sessionQuery)
  const ownId = session?.user.accountId
  return (
    <TradeView
      {...{ id, tab, title: words.one }}
      listedAs={(status) => words.statuses[codeOf(status)]}
      parent={[words.title, { to: '/orders' }]}
      linkOf={(each) => ({ to: '/orders/$id/{-$tab}', params: { id, tab: each } })}
      user={[
        words.child,
        ({ trade: { userId } }: TradeDetails) =>
          userId === ownId ? words.own : <Child id={userId} />,
      ]}
      deliveryLink={({ accountId, deliveryId }) =>
        accountId === ownId
          ? { to: '/webhook/deliveries/$id', params: { id: deliveryId } }
          : {
              to: '/children/$id/deliveries/$delivery',
              params: { id: accountId, delivery: deliveryId },
            }
      }
    />
  )
}

/** Of an order there are fewer states than of the trade that it is. */
const codeOf = (status: TradeDetails['trade']['status']): keyof typeof words.statuses =>
  status === 'canceled' || status === 'declined'
    ? 'FAILED'
    : (status.toUpperCase() as keyof typeof words.statuses)

function Child({ id }: { readonly id: string }) {
  const { data: child } = useQuery(childQuery(id))
  return (
    <Link to="/children/$id/{-$tab}" params={{ id, tab: undefined }}>
      <Text>{child?.email ?? id}</Text>
    </Link>
  )
}
