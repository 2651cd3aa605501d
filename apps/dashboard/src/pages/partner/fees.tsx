import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { ofHundred } from '../../kit/hundredths.ts'
import { partnerFeesQuery } from '../../queries/partner.ts'
import { texts } from '../../texts/texts.ts'
import { FeesView } from '../fees/fees-view.tsx'

const words = texts.partner.fees
const { percent } = texts.merchant.fees

export function PartnerFeesPage() {
  const queries = useQueryClient()
  return (
    <FeesView
      words={words}
      read={useQuery(partnerFeesQuery)}
      expected={3}
      detailsOf={(fees) => [
        [
          words.house,
          `${percent(fees.platformFeeBps)} (${fees.isAgreed ? words.agreed : words.general})`,
        ],
        [words.own, percent(fees.partnerFeeBps)],
        [words.withdraw, percent(fees.withdrawFeeBps)],
      ]}
      exampleOf={({ platformFeeBps, partnerFeeBps }) => [
        [words.sourcing, ofHundred(10_000)],
        [words.house, ofHundred(platformFeeBps)],
        [words.own, ofHundred(partnerFeeBps)],
        [words.pays, ofHundred(10_000 + platformFeeBps + partnerFeeBps)],
      ]}
      ownOf={({ partnerFeeBps }) => [
        { name: 'partnerFeeBps', label: words.inPercent, bps: partnerFeeBps },
      ]}
      onChange={async (body) => {
        queries.setQueryData(partnerFeesQuery.queryKey, await call('setPartnerFee', { body }))
      }}
    />
  )
}
