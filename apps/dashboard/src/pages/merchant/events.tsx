import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useParams } from '@tanstack/react-router'
import { CopyId } from '../../kit/copy.tsx'
import { DetailList } from '../../kit/detail.tsx'
import { Json } from '../../kit/json.tsx'
import { text } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetails } from '../../kit/waiting.tsx'
import { eventQuery } from '../../queries/merchant.ts'
import { linkOfSubjectId } from '../../shell/hit-links.ts'
import { texts } from '../../texts/texts.ts'

const words = texts.merchant.events

const SUBJECTS = ['trade', 'deposit', 'withdrawal'] as const

interface Subject {
  readonly id: string
  readonly externalId?: string | null
}

/** What an event is about, which its data holds under the name of its kind. */
function subjectOf(data: unknown): (Subject & { readonly type: string }) | null {
  const held = data as Readonly<Partial<Record<(typeof SUBJECTS)[number], Subject>>>
  const type = SUBJECTS.find((each) => held[each] !== undefined)
  const subject = type && held[type]
  return type && subject ? { ...subject, type } : null
}

export const EventsPage = () => (
  <ListPage
    title={words.title}
    route="listEvents"
    filters={[text('type', words.type, words.types)]}
    keyOf={({ id }) => id}
    open={({ id }) => ({ to: '/events/$id', params: { id } })}
    empty={words.empty}
    isOfLines
    columns={[
      { head: words.type, cell: ({ type }) => type },
      {
        head: words.subject,
        isMinor: true,
        cell: ({ data }) => {
          const { externalId, id } = subjectOf(data) ?? {}
          return (
            <>
              {externalId} <code>{id}</code>
            </>
          )
        },
      },
      { head: words.time, width: 172, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
)

export function EventPage() {
  const { id } = useParams({ from: '/shell/events/$id' })
  const { data: event, error } = useQuery(eventQuery(id))
  return (
    <Page title={event?.type ?? words.one} parent={[words.title, { to: '/events' }]}>
      {error && <Failure error={error} />}
      {event === undefined && !error && <WaitingDetails count={3} />}
      {event && (
        <>
          <DetailList
            details={[
              [words.time, <Time key="at" at={event.createdAt} seconds />],
              [words.subject, <SubjectLink key="subject" data={event.data} />],
              [texts.merchant.trades.externalId, subjectOf(event.data)?.externalId],
              [words.one, <CopyId key="id" value={event.id} what={words.one} />],
            ]}
          />
          <Section title={words.data}>
            <Json value={event.data} label={words.data} />
          </Section>
        </>
      )}
    </Page>
  )
}

function SubjectLink({ data }: { readonly data: unknown }) {
  const subject = subjectOf(data)
  const link = subject && linkOfSubjectId('merchant', subject)
  return link && <Link {...(link as LinkProps)}>{subject.id}</Link>
}
