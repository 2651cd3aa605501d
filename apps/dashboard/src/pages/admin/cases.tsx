import type { AdminCase } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import { choice, text } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { Badge } from '../../kit/notice.tsx'
import { ShortId } from '../../kit/short-id.tsx'
import { Text } from '../../kit/text.tsx'
import { Ago } from '../../kit/time.tsx'
import { admin as words } from '../../texts/admin.ts'
import { readable } from '../../texts/readable.ts'

/** Contradictions between us and a supplier, a bot or a chain, which a person must look at. */
export const CasesPage = () => (
  <ListPage
    title={words.cases}
    route="listCases"
    keyOf={({ id }) => id}
    filters={[choice('state', words.state, words.caseStates), text('kind', words.kind)]}
    open={({ id }) => ({ to: '/admin/cases/$id', params: { id } })}
    empty={words.noCases}
    isLive
    columns={[
      { head: words.kind, width: 190, cell: ({ kind }) => readable(kind) },
      { head: words.meaning, cell: ({ meaning }) => meaning },
      {
        ...{ head: words.subject, width: 190, isMinor: true },
        cell: ({ subject }) => <CaseSubject subject={subject} />,
      },
      { head: words.state, width: 150, cell: (file) => <CaseState file={file} /> },
      {
        head: words.seen,
        width: 80,
        align: 'end',
        isMinor: true,
        cell: ({ sightings }) => sightings,
      },
      { head: words.firstSeen, width: 130, cell: ({ firstSeenAt }) => <Ago at={firstSeenAt} /> },
    ]}
  />
)

/** `deposit:01a2…`, with as much of the id as tells it from others; whole on the page of the case. */
function CaseSubject({ subject }: { readonly subject: string }) {
  const [, kind, id] = /^(\w+):(.+)$/.exec(subject) ?? []
  if (kind === undefined || id === undefined) return <Text>{subject}</Text>
  if (kind === 'market') return <Text>{marketSubject(id)}</Text>
  return (
    <>
      {readable(kind)} <ShortId id={id} />
    </>
  )
}

/** The market, and our account there unless that is `main`. */
function marketSubject(id: string): string {
  const [market = id, account] = id.split('/')
  return account === undefined ? marketName(market) : `${marketName(market)}, ${account}`
}

export const CaseState = ({
  file: { state, clearedAt },
}: {
  readonly file: Pick<AdminCase, 'state' | 'clearedAt'>
}) =>
  state === 'resolved' ? (
    <Badge tone="good">{words.caseStates.resolved}</Badge>
  ) : (
    <Badge tone="warn">{clearedAt === null ? words.caseStates.open : words.cleared}</Badge>
  )
