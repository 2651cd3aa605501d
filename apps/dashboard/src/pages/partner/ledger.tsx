import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Figures } from '../../kit/detail.tsx'
import { Export } from '../../kit/export.tsx'
import { formatMoney } from '../../kit/money.tsx'
import { Page } from '../../kit/page.tsx'
import { partnerOverviewQuery } from '../../queries/partner.ts'
import { texts } from '../../texts/en.ts'
import { PartnerLedger } from '../merchant/ledger.tsx'

const words = texts.partner

export function PartnerLedgerPage() {
  const search = useSearch({ from: '/shell/partner-ledger' })
  const { data } = useQuery(partnerOverviewQuery)
  return (
    <Page
      title={words.ledger.title}
      act={<Export what="ledger" title={words.ledger.title} query={search} />}
      isWide
    >
      <Figures
        figures={[[words.overview.balance, data ? formatMoney(data.balance, 'USD') : '…']]}
      />
      <PartnerLedger />
    </Page>
  )
}
