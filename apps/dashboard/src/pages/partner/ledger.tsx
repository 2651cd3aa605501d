import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Figures } from '../../kit/detail.tsx'
import { Export } from '../../kit/export.tsx'
import { formatMoney } from '../../kit/money.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Acts, Page } from '../../kit/page.tsx'
import { Bone } from '../../kit/waiting.tsx'
import { balanceThresholdQuery } from '../../queries/account.ts'
import { texts } from '../../texts/texts.ts'
import { LowBalanceButton, noteOf } from '../account/low-balance.tsx'
import { PartnerLedger } from '../merchant/ledger.tsx'

const words = texts.partner

export function PartnerLedgerPage() {
  const search = useSearch({ from: '/shell/partner-ledger' })
  const { data, error } = useQuery(balanceThresholdQuery)
  return (
    <Page
      title={words.ledger.title}
      act={
        <Acts>
          <LowBalanceButton />
          <Export what="ledger" title={words.ledger.title} query={search} />
        </Acts>
      }
    >
      {error && <Failure error={error} />}
      <Figures
        figures={[
          [
            texts.overview.balance,
            data ? formatMoney(data.balance, data.currency) : <Bone key="bone" />,
            data ? noteOf(data) : <Bone key="note" />,
          ],
        ]}
      />
      <PartnerLedger />
    </Page>
  )
}
