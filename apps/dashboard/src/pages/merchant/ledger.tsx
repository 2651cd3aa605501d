// The rows of a wallet: of a merchant or a sub-user, of a partner or a child.
import { useSearch } from '@tanstack/react-router'
import type { LedgerRow } from '@tradepost/contract'
import { Export } from '../../kit/export.tsx'
import { choice, queryOf, time } from '../../kit/list/filters.ts'
import { List, type ListColumn } from '../../kit/list/list.tsx'
import { Money } from '../../kit/money.tsx'
import { Acts } from '../../kit/page.tsx'
import { ShortId } from '../../kit/short-id.tsx'
import { Time } from '../../kit/time.tsx'
import { type HitLink, linkOfSubjectId } from '../../shell/hit-links.ts'
import { texts } from '../../texts/texts.ts'

const words = texts.merchant.wallets

const columnsIn = (currency: string): readonly ListColumn<LedgerRow>[] => [
  { head: words.description, cell: ({ description }) => description },
  { head: words.subject, cell: ({ subject }) => subject?.name },
  { head: words.status, width: 96, isMinor: true, cell: ({ status }) => words.statuses[status] },
  {
    head: words.reference,
    width: 130,
    isMinor: true,
    isOffCards: true,
    cell: ({ externalRef }) => externalRef && <ShortId id={externalRef} />,
  },
  {
    head: `${words.amount}, ${currency}`,
    width: 130,
    align: 'end',
    cell: ({ amount }) => <Money amount={amount} currency={currency} signed />,
  },
  { head: words.time, width: 172, cell: ({ occurredAt }) => <Time at={occurredAt} /> },
]

/** A row opens what it is about; of money between two accounts, the page of the other one. */
const opens =
  (account: 'merchant' | 'partner', pageOf: (accountId: string) => HitLink) =>
  ({ subject }: LedgerRow): HitLink | null => {
    if (subject === null) return null
    return subject.type === 'account' ? pageOf(subject.id) : linkOfSubjectId(account, subject)
  }
const opensUser = opens('merchant', (id) => ({
  to: '/users/$id/{-$tab}',
  params: { id, tab: undefined },
}))
const opensMerchant = opens('merchant', () => ({
  to: '/wallets/{-$tab}',
  params: { tab: undefined },
}))
const opensChild = opens('partner', (id) => ({
  to: '/children/$id/{-$tab}',
  params: { id, tab: undefined },
}))
const opensPartner = opens('partner', () => ({ to: '/partner-ledger' }))

const FILTERS = [
  choice('type', words.type, words.types),
  choice('status', words.status, words.statuses),
  time(words.time),
]

export const WalletLedger = ({
  walletType,
  currency,
}: {
  readonly walletType: 'spot' | 'earnings'
  readonly currency: string
}) => (
  <List
    caption={words.tabs[walletType]}
    route="listLedger"
    fixed={{ walletType }}
    filters={FILTERS}
    columns={columnsIn(currency)}
    keyOf={({ id }) => id}
    open={opensUser}
    empty={words.empty}
  />
)

export const UserLedger = ({
  id,
  currency,
}: {
  readonly id: string
  readonly currency: string
}) => (
  <>
    <LedgerExport userId={id} />
    <List
      caption={texts.merchant.users.tabs.ledger}
      route="listUserLedger"
      params={{ id }}
      filters={FILTERS}
      columns={columnsIn(currency)}
      keyOf={({ id: row }) => row}
      open={opensMerchant}
      empty={words.empty}
    />
  </>
)

export const PartnerLedger = () => (
  <List
    caption={texts.partner.ledger.title}
    route="listPartnerLedger"
    filters={FILTERS}
    columns={columnsIn('USD')}
    keyOf={({ id }) => id}
    open={opensChild}
    empty={words.empty}
  />
)

export const ChildLedger = ({ id }: { readonly id: string }) => (
  <>
    <LedgerExport userId={id} />
    <List
      caption={texts.partner.children.tabs.ledger}
      route="listChildLedger"
      params={{ id }}
      filters={FILTERS}
      columns={columnsIn('USD')}
      keyOf={({ id: row }) => row}
      open={opensPartner}
      empty={words.empty}
    />
  </>
)

/** Of a sub-user or a child, with the filters that are set. */
function LedgerExport({ userId }: { readonly userId: string }) {
  const search = useSearch({ strict: false }) as Readonly<Record<string, string>>
  const query = { ...queryOf(FILTERS, search), userId }
  return (
    <Acts>
      <Export what="ledger" title={words.title} query={query} />
    </Acts>
  )
}
