import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import { Button } from '../../../kit/button.tsx'
import { Form } from '../../../kit/form.tsx'
import { Badge, Failure } from '../../../kit/notice.tsx'
import { Section } from '../../../kit/page.tsx'
import { Table } from '../../../kit/table.tsx'
import { Ago } from '../../../kit/time.tsx'
import { sessionsQuery } from '../../../queries/account.ts'
import { visible } from '../../../texts/foreign.ts'
import { texts } from '../../../texts/texts.ts'

const { login: words } = texts

export function Sessions() {
  const { data: sessions, error } = useQuery(sessionsQuery)
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries(sessionsQuery)
  return (
    <Section title={words.sessions}>
      {error && <Failure error={error} />}
      {sessions && (
        <Table
          caption={words.sessions}
          empty=""
          rows={sessions}
          keyOf={({ id }) => id}
          columns={[
            {
              head: words.browser,
              cell: ({ browser, userAgent, current }) => (
                <>
                  <span title={visible(userAgent)}>{browser}</span>{' '}
                  {current && <Badge tone="good">{words.current}</Badge>}
                </>
              ),
            },
            { head: words.address, cell: ({ address }) => <code>{address}</code> },
            { head: words.lastSeen, cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
            {
              head: texts.keys.actions,
              cell: ({ id, current }) =>
                !current && (
                  <Button
                    look="quiet"
                    size="small"
                    onClick={() =>
                      void call('endSession', { params: { id } }).then(refresh, refresh)
                    }
                  >
                    {words.end}
                  </Button>
                ),
            },
          ]}
        />
      )}
      {sessions && sessions.length > 1 && (
        <Form
          submit={words.endOthers}
          onSubmit={async () => {
            await call('endOtherSessions', {})
            await refresh()
          }}
        >
          {() => null}
        </Form>
      )}
    </Section>
  )
}
