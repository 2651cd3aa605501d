import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { TradePage as TradeDetails } from '@tradepost/contract'
import { Text } from '../../kit/text.tsx'
import { sessionQuery } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { TradeView } from '../trade/trade-view.tsx'

const words = texts.merchant.trades

/** A trade of the merchant or of one of its sub-users. */
export function TradePage() {
  const { id, tab } = useParams({ from: '/shell/trades/$id/{-$tab}' })
  return (
    <TradeView
      {...{ id, tab, title: words.one }}
      parent={[words.title, { to: '/trades' }]}
      linkOf={(each) => ({ to: '/trades/$id/{-$tab}', params: { id, tab: each } })}
      orderLink={(orderId) => ({ to: '/market-orders/$id', params: { id: orderId } })}
      user={[words.user, (details) => <User {...details} />]}
      deliveryLink={({ deliveryId }) => ({
        to: '/webhook/deliveries/$id',
        params: { id: deliveryId },
      })}
    />
  )
}

function User({ trade: { userId }, userExternalId }: TradeDetails) {
  const { data: session } = useQuery(sessionQuery)
  if (userId === session?.user.accountId) return words.own
  return (
    <Link to="/users/$id/{-$tab}" params={{ id: userId, tab: undefined }}>
      <Text>{userExternalId ?? userId}</Text>
    </Link>
  )
}
