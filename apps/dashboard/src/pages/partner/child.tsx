import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { DashboardChildDetail, PartnerStats } from '@tradepost/contract'
import { useState } from 'react'
import { AsOf } from '../../kit/as-of.tsx'
import { Button } from '../../kit/button.tsx'
import { CopyId } from '../../kit/copy.tsx'
import { DetailList, Figures, Tabs } from '../../kit/detail.tsx'
import { formatMoney, Money } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetails } from '../../kit/waiting.tsx'
import { childQuery } from '../../queries/partner.ts'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { AddEndpoint, Endpoints } from '../account/endpoints.tsx'
import { KeysOfChild } from '../account/keys.tsx'
import { DeliveriesOfChild } from '../account/webhook.tsx'
import { AuditOfChild } from '../merchant/audit.tsx'
import { ChildLedger } from '../merchant/ledger.tsx'
import { StatementsOf } from '../money/statements.tsx'
import { ACCOUNT_TONES } from '../tones.ts'
import { OrdersOfChild } from './orders.tsx'
import { TransferDialog, TransfersToChild } from './transfer.tsx'

const words = texts.partner.children

const TABS = Object.keys(words.tabs) as (keyof typeof words.tabs)[]

export function ChildPage() {
  const { id, tab = 'details' } = useParams({ from: '/shell/children/$id/{-$tab}' })
  const { data: child, error } = useQuery(childQuery(id))
  const [isTransferring, setTransferring] = useState(false)
  const mayTransfer = useCapability('money.write')
  return (
    <Page
      title={child?.email ?? words.one}
      parent={[words.title, { to: '/children' }]}
      act={
        child &&
        mayTransfer &&
        child.status !== 'deleted' && (
          <Button look="main" onClick={() => setTransferring(true)}>
            {texts.partner.transfers.make}
          </Button>
        )
      }
    >
      <Tabs
        tabs={TABS.map((each) => ({
          label: words.tabs[each],
          link: {
            to: '/children/$id/{-$tab}',
            params: { id, tab: each === 'details' ? undefined : each },
          },
        }))}
      />
      {error && <Failure error={error} />}
      {child === undefined && !error && <WaitingDetails count={6} />}
      {child && <TabOfChild tab={tab} child={child} />}
      {child && isTransferring && (
        <TransferDialog child={child} onClose={() => setTransferring(false)} />
      )}
    </Page>
  )
}

function TabOfChild({
  tab,
  child,
}: {
  readonly tab: string
  readonly child: DashboardChildDetail
}) {
  const { id } = child
  switch (tab) {
    case 'orders':
      return <OrdersOfChild id={id} />
    case 'ledger':
      return <ChildLedger id={id} />
    case 'statements':
      return <StatementsOf id={id} />
    case 'transfers':
      return <TransfersToChild id={id} />
    case 'keys':
      return <KeysOfChild childId={id} />
    case 'webhook':
      return (
        <>
          <div>
            <AddEndpoint childId={id} />
          </div>
          <Endpoints childId={id} />
        </>
      )
    case 'deliveries':
      return <DeliveriesOfChild childId={id} />
    case 'audit':
      return <AuditOfChild childId={id} />
    default:
      return <ChildDetails {...child} />
  }
}

const orders = words.figures

/** What is final, and what is under way. */
const figuresOf = (stats: PartnerStats) =>
  [
    [orders.orders, stats.orderAmount, orders.underWay(stats.pendingOrderAmount)],
    [
      orders.volume,
      <Money key="volume" amount={stats.volume} currency="USD" />,
      pending(stats.pendingVolume),
    ],
    [
      orders.revenue,
      <Money key="revenue" amount={stats.partnerRevenue} currency="USD" />,
      pending(stats.pendingPartnerRevenue),
    ],
  ] as const

const pending = (amount: number): string => `${formatMoney(amount, 'USD')} ${orders.pending}`

const ChildDetails = ({ stats, asOf, ...child }: DashboardChildDetail) => (
  <>
    <DetailList
      details={[
        [
          words.status,
          <Badge key="status" tone={ACCOUNT_TONES[child.status]}>
            {words.statuses[child.status]}
          </Badge>,
        ],
        [words.balance, <Money key="balance" amount={child.balance} currency="USD" />],
        [words.name, child.name],
        [words.created, <Time key="created" at={child.createdAt} seconds />],
        [words.keyId, <CopyId key="key" value={child.apiKeyId} what={words.keyId} />],
        [words.id, <CopyId key="id" value={child.id} what={words.id} />],
      ]}
    />
    <Section title={words.stats}>
      <AsOf at={asOf} />
      <Figures figures={figuresOf(stats)} />
    </Section>
    <p>{words.suspension}</p>
  </>
)
