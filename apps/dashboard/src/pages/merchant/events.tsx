import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { CopyId } from '../../kit/copy.tsx'
import { Facts } from '../../kit/detail.tsx'
import { Json } from '../../kit/json.tsx'
import { text } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingFacts } from '../../kit/waiting.tsx'
import { eventQuery } from '../../queries/merchant.ts'
import { texts } from '../../texts/texts.ts'

const words = texts.merchant.events

export const EventsPage = () => (
  <ListPage
    title={words.title}
    route="listEvents"
    filters={[text('type', words.type, words.types)]}
    keyOf={({ id }) => id}
    open={({ id }) => ({ to: '/events/$id', params: { id } })}
    empty={words.empty}
    columns={[
      { head: words.type, cell: ({ type }) => type },
      {
        head: words.subject,
        isMinor: true,
        cell: ({ data }) => {
          const { trade, deposit } = data as {
            readonly trade?: { readonly id: string }
            readonly deposit?: { readonly id: string }
          }
          return <code>{trade?.id ?? deposit?.id ?? ''}</code>
        },
      },
      { head: words.time, width: 190, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
)

export function EventPage() {
  const { id } = useParams({ from: '/shell/events/$id' })
  const { data: event, error } = useQuery(eventQuery(id))
  return (
    <Page title={event?.type ?? words.one} parent={[words.title, { to: '/events' }]}>
      {error && <Failure error={error} />}
      {event === undefined && !error && <WaitingFacts count={3} />}
      {event && (
        <>
          <Facts
            facts={[
              [words.time, <Time key="at" at={event.createdAt} seconds />],
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
