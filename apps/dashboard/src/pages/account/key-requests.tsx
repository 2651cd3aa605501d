// The last requests of an API key: on the own pages, on those of a child for its partner, for administrators.
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useParams } from '@tanstack/react-router'
import type { DashboardKey, KeyRequest } from '@tradepost/contract'
import { CopyButton } from '../../kit/copy.tsx'
import { Empty } from '../../kit/empty.tsx'
import { choice, text } from '../../kit/list/filters.ts'
import { type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { Badge, type Tone } from '../../kit/notice.tsx'
import { ShortId } from '../../kit/short-id.tsx'
import { Time } from '../../kit/time.tsx'
import { keysQuery } from '../../queries/account.ts'
import { accountQuery } from '../../queries/admin.ts'
import { sessionQuery } from '../../queries/session.ts'
import { linkOfSubjectId } from '../../shell/hit-links.ts'
import type { AccountKind } from '../../shell/navigation.ts'
import { texts } from '../../texts/texts.ts'
import { PARTNER_TRY_OUT, TRY_OUT } from '../commands.ts'

const { keys: words } = texts

/** Of the session's account. */
export function KeyRequestsPage() {
  const { id } = useParams({ from: '/shell/keys/$id' })
  const { data: keys } = useQuery(keysQuery())
  const { data: session } = useQuery(sessionQuery)
  const kind = session?.user.accountKind ?? 'merchant'
  return (
    <ListPage
      {...listOf(kind, keys, id)}
      parent={[words.title, { to: '/keys' }]}
      route="listKeyRequests"
      params={{ id }}
    />
  )
}

export function KeyRequestsOfChildPage() {
  const { id: childId, key: id } = useParams({ from: '/shell/children/$id/keys/$key' })
  const { data: keys } = useQuery(keysQuery(childId))
  return (
    <ListPage
      {...listOf('partner', keys, id)}
      parent={[words.title, { to: '/children/$id/{-$tab}', params: { id: childId, tab: 'keys' } }]}
      route="listKeyRequestsOfChild"
      params={{ childId, id }}
    />
  )
}

export function KeyRequestsOfAccountPage() {
  const { id: accountId, key: id } = useParams({ from: '/shell/admin/accounts/$id/keys/$key' })
  const { data: account } = useQuery(accountQuery(accountId))
  return (
    <ListPage
      {...listOf('admin', account?.keys, id)}
      parent={[
        account?.name ?? account?.email ?? words.title,
        { to: '/admin/accounts/$id/{-$tab}', params: { id: accountId, tab: undefined } },
      ]}
      route="listRequestsOfKey"
      params={{ id }}
    />
  )
}

/** What the three lists have in common. `kind`: of the account whose pages a trade is shown on. */
function listOf(kind: AccountKind, keys: readonly DashboardKey[] | undefined, id: string) {
  const key = keys?.find((each) => each.id === id)
  return {
    title: key === undefined ? words.requests : words.requestsOf(key.name),
    lead: <p>{words.requestsLead}</p>,
    filters: FILTERS,
    columns: COLUMNS_OF[kind],
    keyOf: (request: KeyRequest) => request.id,
    isOfLines: true,
    empty:
      kind === 'admin' ? (
        words.noRequests
      ) : (
        <Empty text={words.noRequests} command={kind === 'merchant' ? TRY_OUT : PARTNER_TRY_OUT} />
      ),
  }
}

const FILTERS = [
  choice('status', words.outcome, words.outcomes),
  text('route', words.request, words.requestHint),
  text('error', words.error, words.errorHint),
]

const toneOf = (status: number): Tone => (status < 400 ? 'good' : status < 500 ? 'warn' : 'bad')

const columnsFor = (kind: AccountKind): readonly ListColumn<KeyRequest>[] => [
  {
    head: words.request,
    cell: ({ method, route }) =>
      route === UNMATCHED ? `${method} ${words.noRoute}` : `${method} ${route}`,
  },
  {
    head: words.outcome,
    width: 88,
    isInFirstLine: true,
    cell: ({ status }) => <Badge tone={toneOf(status)}>{String(status)}</Badge>,
  },
  { head: words.error, width: 190, isOptional: true, cell: ({ error }) => error },
  {
    head: words.trade,
    width: 130,
    isOptional: true,
    cell: ({ tradeId }) => tradeId && <TradeLink kind={kind} id={tradeId} />,
  },
  {
    head: words.duration,
    width: 80,
    align: 'end',
    isMinor: true,
    isOffCards: true,
    cell: ({ durationMs }) => texts.webhook.took(durationMs),
  },
  {
    head: words.requestId,
    width: 96,
    isMinor: true,
    isOffCards: true,
    cell: ({ id }) => <CopyButton value={id} what={words.requestId} />,
  },
  { head: words.time, width: 190, cell: ({ startedAt }) => <Time at={startedAt} seconds /> },
]

/** As the interface names an address that no route has. */
const UNMATCHED = '(none)'

const COLUMNS_OF: Readonly<Record<AccountKind, readonly ListColumn<KeyRequest>[]>> = {
  merchant: columnsFor('merchant'),
  partner: columnsFor('partner'),
  admin: columnsFor('admin'),
}

function TradeLink({ kind, id }: { readonly kind: AccountKind; readonly id: string }) {
  const link = linkOfSubjectId(kind, { type: 'trade', id })
  return (
    link && (
      <Link {...(link as LinkProps)}>
        <ShortId id={id} />
      </Link>
    )
  )
}
