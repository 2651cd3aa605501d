// What open market orders of all merchants want of an item, in a line: for who is about to place one.
import { useQuery } from '@tanstack/react-query'
import { formatMoney } from '../../kit/money.tsx'
import { Bone } from '../../kit/waiting.tsx'
import { itemDepthQuery } from '../../queries/merchant.ts'
import { formatCount, texts } from '../../texts/texts.ts'

const words = texts.merchant.marketOrders

/** The highest prices tell what an order competes with. */
const SHOWN_LEVELS = 3

export function Demand({ itemId }: { readonly itemId: string }) {
  const { data: depth } = useQuery(itemDepthQuery(itemId))
  if (depth === undefined) return <Bone />
  const { levels, currency } = depth
  const shown = levels
    .slice(0, SHOWN_LEVELS)
    .map(({ quantity, maxPrice }) =>
      words.unitsAt(formatCount(quantity), formatMoney(maxPrice, currency)),
    )
  if (shown.length === 0) return words.noDepth
  return levels.length > SHOWN_LEVELS ? words.andLower(shown.join(', ')) : shown.join(', ')
}
