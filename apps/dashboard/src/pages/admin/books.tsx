import { useQuery } from '@tanstack/react-query'
import { Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Ago } from '../../kit/time.tsx'
import { Bone } from '../../kit/waiting.tsx'
import { booksQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'

const TONES = { balanced: 'good', broken: 'bad', unknown: 'info' } as const

/** What the last audits of the books found. */
export function BooksPage() {
  const { data: books, error } = useQuery(booksQuery)
  const violations = books?.runs.flatMap((run) => run.violations) ?? []
  return (
    <Page title={words.books}>
      {error && <Failure error={error} />}
      {(books || !error) && (
        <>
          <Notice tone={TONES[books?.status ?? 'unknown']}>
            {books ? words.booksStates[books.status] : <Bone />}
          </Notice>
          <p>{words.booksText}</p>
          <Table
            caption={words.books}
            empty={words.booksStates.unknown}
            rows={books?.runs}
            keyOf={({ scope }) => scope}
            columns={[
              { head: words.scope, cell: ({ scope }) => words.scopes[scope] },
              { head: words.finished, cell: ({ finishedAt }) => <Ago at={finishedAt} /> },
              { head: words.took, align: 'end', cell: ({ seconds }) => words.seconds(seconds) },
              {
                head: words.violations,
                align: 'end',
                cell: ({ violationCount }) => violationCount,
              },
            ]}
          />
          {violations.length > 0 && (
            <Section title={words.violations}>
              <Table
                caption={words.violations}
                empty=""
                rows={violations}
                keyOf={({ invariant, detail }) => `${invariant} ${detail}`}
                columns={[
                  { head: words.invariant, cell: ({ invariant }) => invariant },
                  { head: words.details, cell: ({ detail }) => detail },
                ]}
              />
            </Section>
          )}
        </>
      )}
    </Page>
  )
}
