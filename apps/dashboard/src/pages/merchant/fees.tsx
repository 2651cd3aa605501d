import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { MerchantFees } from '@tradepost/contract'
import { call } from '../../api/call.ts'
import { ofHundred } from '../../kit/hundredths.ts'
import { feesQuery } from '../../queries/merchant.ts'
import { texts } from '../../texts/texts.ts'
import { FeesView } from '../fees/fees-view.tsx'

const words = texts.merchant.fees
const { percent } = words

export function FeesPage() {
  const queries = useQueryClient()
  return (
    <FeesView
      words={words}
      read={useQuery(feesQuery)}
      expected={4}
      detailsOf={(fees) => [
        ...serviceFeesOf(fees),
        [words.buyFee, percent(fees.buyFeeBps)],
        [words.sellFee, percent(fees.sellFeeBps)],
        [words.spread, percent(fees.fxSpreadBps)],
      ]}
      exampleOf={({ effectiveChildFeeBps, buyFeeBps }) => [
        [words.sourcing, ofHundred(10_000)],
        [words.house, ofHundred(effectiveChildFeeBps)],
        [words.own, ofHundred(buyFeeBps)],
        [words.pays, ofHundred(10_000 + effectiveChildFeeBps + buyFeeBps)],
      ]}
      ownOf={({ buyFeeBps, sellFeeBps }) => [
        { name: 'buyFeeBps', label: words.buyInPercent, bps: buyFeeBps },
        { name: 'sellFeeBps', label: words.sellInPercent, bps: sellFeeBps },
      ]}
      onChange={async (body) => {
        queries.setQueryData(feesQuery.queryKey, await call('setFees', { body }))
      }}
    />
  )
}

/** One line while the account pays for itself what its sub-users pay. */
function serviceFeesOf({
  feeBps,
  effectiveChildFeeBps,
  globalDefaultFeeBps,
}: MerchantFees): readonly (readonly [label: string, value: string])[] {
  const shown = (bps: number): string =>
    (bps === globalDefaultFeeBps ? words.default : words.agreed)(percent(bps))
  return feeBps === effectiveChildFeeBps
    ? [[words.house, shown(feeBps)]]
    : [
        [words.ownBuys, shown(feeBps)],
        [words.effective, shown(effectiveChildFeeBps)],
      ]
}
