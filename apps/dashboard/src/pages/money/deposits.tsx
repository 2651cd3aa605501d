import { useQuery } from '@tanstack/react-query'
import type { DashboardDeposit, OwnDeposit } from '@tradepost/contract'
import { Export } from '../../kit/export.tsx'
import { choice, text, time } from '../../kit/list/filters.ts'
import { type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { formatMoney, Money } from '../../kit/money.tsx'
import { Badge } from '../../kit/notice.tsx'
import { Acts } from '../../kit/page.tsx'
import { ShortId } from '../../kit/short-id.tsx'
import { Time } from '../../kit/time.tsx'
import { sessionQuery } from '../../queries/session.ts'
import { money } from '../../texts/money.ts'
import { chainName } from '../chain-name.ts'
import { ChildOrOwn } from '../partner/child-or-own.tsx'
import { tokensText } from '../tokens.ts'
import { DEPOSIT_TONES } from '../tones.ts'
import { PayInButton } from './pay-in-button.tsx'

const words = money.deposits

/** Whose a deposit is that has no name of the merchant's: its own, as a rule. */
export function OwnOrId({ id }: { readonly id: string }) {
  const { data: session } = useQuery(sessionQuery)
  return id === session?.user.accountId ? words.own : <ShortId id={id} />
}

export const DEPOSIT_COLUMNS: readonly ListColumn<DashboardDeposit>[] = [
  { head: words.reference, width: 130, cell: ({ id }) => <ShortId id={id} /> },
  {
    head: words.status,
    width: 160,
    cell: ({ status }) => <Badge tone={DEPOSIT_TONES[status]}>{words.statuses[status]}</Badge>,
  },
  { head: words.method, width: 130, cell: ({ method }) => words.methods[method] },
  { head: words.asked, align: 'end', cell: (deposit) => askedOf(deposit), isMinor: true },
  {
    head: words.credited,
    align: 'end',
    width: 140,
    cell: ({ creditedAmount, currency }) =>
      creditedAmount === null ? null : <Money amount={creditedAmount} currency={currency} />,
  },
  {
    head: words.user,
    width: 140,
    cell: ({ userId, userExternalId }) => userExternalId ?? <OwnOrId id={userId} />,
    isMinor: true,
  },
  { head: words.at, width: 172, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** Children are known by their e-mail addresses. */
const COLUMNS_OF_PARTNER: readonly ListColumn<OwnDeposit>[] = DEPOSIT_COLUMNS.map((column) =>
  column.head === words.user
    ? {
        ...column,
        width: 240,
        cell: ({ userId, userEmail }: OwnDeposit) => <ChildOrOwn id={userId} email={userEmail} />,
      }
    : column,
)

export function DepositsPage() {
  const { data: session } = useQuery(sessionQuery)
  const isPartner = session?.user.accountKind === 'partner'
  return <Deposits columns={isPartner ? COLUMNS_OF_PARTNER : DEPOSIT_COLUMNS} />
}

const Deposits = ({ columns }: { readonly columns: readonly ListColumn<OwnDeposit>[] }) => (
  <ListPage
    title={words.title}
    route="listOwnDeposits"
    keyOf={({ id }) => id}
    open={({ id }) => ({ to: '/deposits/$id', params: { id } })}
    empty={words.empty}
    act={(query) => (
      <Acts>
        <PayInButton />
        <Export what="deposits" title={words.title} query={query} />
      </Acts>
    )}
    filters={[
      choice('status', words.status, words.statuses),
      choice('method', words.method, words.methods),
      text('userId', words.user, words.userHint),
      time(words.time),
    ]}
    columns={columns}
  />
)

/** What was asked for, with its currency; of a deposit from a chain, what arrived. */
export const askedOf = (deposit: DashboardDeposit): string =>
  deposit.cardCharge === null
    ? onChain(
        tokensText(deposit.payAmountToken ?? deposit.receivedAmountToken, deposit),
        deposit.chain,
      )
    : formatMoney(deposit.cardCharge.amount, deposit.cardCharge.currency)

const onChain = (tokens: string, chain: string | null): string =>
  chain === null ? tokens : words.on(tokens, chainName(chain))
