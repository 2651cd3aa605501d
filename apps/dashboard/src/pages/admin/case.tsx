import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { AdminCaseDetail, AdminTrade } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { CopyId } from '../../kit/copy.tsx'
import { Columns, DetailList, type DetailListProps, Timeline } from '../../kit/detail.tsx'
import { Money } from '../../kit/money.tsx'
import { Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { WithRunbooks } from '../../kit/runbook.tsx'
import { Text } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { Bone, WaitingDetail } from '../../kit/waiting.tsx'
import { caseQuery, inspectionQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { readable } from '../../texts/readable.ts'
import { detailLines, detailsText } from '../details.ts'
import { AccountLink } from './account-link.tsx'
import { CaseState } from './cases.tsx'
import { ReasonDialog } from './reason.tsx'

/** A case: its evidence, its log, and what was done about it. */
export function CasePage() {
  const { id } = useParams({ from: '/shell/admin/cases/$id' })
  const { data: file, error } = useQuery(caseQuery(id))
  const itemId = file?.itemId ?? null
  const inspection = useQuery({ ...inspectionQuery(itemId ?? ''), enabled: itemId !== null })
  const queries = useQueryClient()
  const [isResolving, setResolving] = useState(false)
  return (
    <Page
      title={file ? words.caseOf(readable(file.kind)) : words.cases}
      parent={[words.cases, { to: '/admin/cases' }]}
      act={
        // How a contested delivery ends is said at the command line, which its meaning names.
        file?.state === 'open' &&
        file.kind !== 'reversal_unclear' && (
          <Button look="main" onClick={() => setResolving(true)}>
            {words.resolve}
          </Button>
        )
      }
    >
      {error && <Failure error={error} />}
      {file === undefined && !error && <WaitingDetail />}
      {file && (
        <Columns
          aside={
            <DetailList
              details={[
                [words.id, <CopyId key="id" value={file.id} what={words.id} />],
                [words.state, <CaseState key="state" file={file} />],
                [words.subject, file.itemId === null && <Subject subject={file.subject} />],
                [words.market, file.market && marketName(file.market)],
                ...itemRows(file.itemId, inspection.error ? null : inspection.data),
                [words.seen, String(file.sightings)],
                [words.firstSeen, <Time key="first" at={file.firstSeenAt} seconds />],
              ]}
            />
          }
        >
          <Notice>
            <p>{file.meaning}</p>
            <p>
              {words.whatToDo} <WithRunbooks>{file.runbook}</WithRunbooks>
            </p>
          </Notice>
          {file.resolution && (
            <Notice tone="good">
              {`${words.resolvedBy(file.resolvedBy ?? '')}: ${file.resolution}`}
            </Notice>
          )}
          <Section title={words.evidence}>
            <DetailList details={detailRows(evidenceOf(file))} />
          </Section>
          {Object.keys(file.notes).length > 0 && (
            <Section title={words.notes}>
              <DetailList details={detailRows(file.notes)} />
            </Section>
          )}
          <Section title={words.log}>
            <Timeline
              entries={file.log.map(({ at, what, by, facts }) => ({
                at,
                title: by === null ? what : `${what}, ${by}`,
                detail: detailsText(facts),
              }))}
            />
          </Section>
        </Columns>
      )}
      {isResolving && (
        <ReasonDialog
          {...{ title: words.resolve, act: words.resolve, onClose: () => setResolving(false) }}
          done={words.said.resolved}
          long={words.resolution}
          onSubmit={async (reason) => {
            const answer = await call('resolveCase', { params: { id }, body: { reason } })
            queries.setQueryData(caseQuery(id).queryKey, answer)
            await queries.invalidateQueries({ queryKey: ['listCases'] })
          }}
        >
          {words.resolveText}
        </ReasonDialog>
      )}
    </Page>
  )
}

/** The item and whose it is, from its trade; undefined while that is being loaded, null where it cannot be. */
function itemRows(
  itemId: string | null,
  trade: AdminTrade | null | undefined,
): DetailListProps['details'] {
  if (itemId === null) return []
  const item = trade?.items.find(({ id }) => id === itemId)
  return [
    [
      words.item,
      <Link key="item" to="/admin/trades/$id" params={{ id: itemId }}>
        <Text>{item?.name ?? itemId}</Text>
      </Link>,
    ],
    [
      words.price,
      trade === undefined ? (
        <Bone key="price" />
      ) : (
        trade && item && <Money key="price" amount={item.price} currency={trade.currency} />
      ),
    ],
    [
      words.account,
      trade === undefined ? (
        <Bone key="account" />
      ) : (
        trade && <AccountLink key="account" id={trade.tenantId} name={trade.tenantName} />
      ),
    ],
  ]
}

/** Without what stands beside it: the market and the item. */
function evidenceOf({ facts, market, itemId }: AdminCaseDetail): AdminCaseDetail['facts'] {
  const known = new Set<unknown>([market, itemId])
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value === null || !known.has(value)),
  )
}

/** `<type>:<id>`; a deposit has a page, on which its held payments are. */
function Subject({ subject }: { readonly subject: string }) {
  const [type, id = ''] = subject.split(':')
  if (type !== 'deposit')
    return (
      <code>
        <Text>{subject}</Text>
      </code>
    )
  return (
    <Link to="/admin/deposits/$id" params={{ id }}>
      <Text>{subject}</Text>
    </Link>
  )
}

const IS_TIME = /^\d{4}-\d\d-\d\dT/

const detailRows = (details: Readonly<Record<string, unknown>>): DetailListProps['details'] =>
  detailLines(details).map(([label, value]) => [
    label,
    IS_TIME.test(value) ? <Time key={label} at={value} seconds /> : value,
  ])
