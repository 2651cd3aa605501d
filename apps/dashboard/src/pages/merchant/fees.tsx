import { useQuery, useQueryClient } from '@tanstack/react-query'
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
      expected={7}
      detailsOf={(fees) => [
        [words.ownBuys, words.agreed(percent(fees.feeBps))],
        [words.buyFee, percent(fees.buyFeeBps)],
        [words.sellFee, percent(fees.sellFeeBps)],
        [
          words.childDefault,
          fees.childDefaultFeeBps === null ? words.none : percent(fees.childDefaultFeeBps),
        ],
        [words.globalDefault, percent(fees.globalDefaultFeeBps)],
        [words.effective, percent(fees.effectiveChildFeeBps)],
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
