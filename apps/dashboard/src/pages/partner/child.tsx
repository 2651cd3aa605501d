import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { DashboardChild } from '@tradepost/contract'
import { CopyId } from '../../kit/copy.tsx'
import { Facts, Tabs } from '../../kit/detail.tsx'
import { Money } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { childQuery } from '../../queries/partner.ts'
import { texts } from '../../texts/en.ts'
import { ACCOUNT_TONES } from '../tones.ts'
import { OrdersOfChild } from './orders.tsx'

const words = texts.partner.children

const TABS = ['facts', 'orders'] as const

export function ChildPage() {
  const { id, tab = 'facts' } = useParams({ from: '/shell/children/$id/{-$tab}' })
  const { data: child, error } = useQuery(childQuery(id))
  return (
    <Page title={child?.email ?? words.one} isWide>
      <Tabs
        tabs={TABS.map((each) => ({
          label: words.tabs[each],
          link: {
            to: '/children/$id/{-$tab}',
            params: { id, tab: each === 'facts' ? undefined : each },
          },
        }))}
      />
      {error && <Failure error={error} />}
      {child === undefined && !error && <Waiting />}
      {child && tab === 'facts' && <ChildFacts {...child} />}
      {child && tab === 'orders' && <OrdersOfChild id={child.id} />}
    </Page>
  )
}

const ChildFacts = (child: DashboardChild) => (
  <Facts
    facts={[
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
)
