import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Badge, Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { healthQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'
import { HEALTH_TONES } from '../tones.ts'
import { Workers } from '../workers.tsx'

export function HealthPage() {
  const { data: health, error } = useQuery(healthQuery)
  return (
    <Page title={words.health}>
      {error && <Failure error={error} />}
      {health?.secondFactorMissing && (
        <Notice tone="warn">
          {words.factorMissing} <Link to="/login-settings">{words.setUpFactor}</Link>
        </Notice>
      )}
      {(health || !error) && (
        <>
          <Table
            caption={words.health}
            empty={words.noMarkets}
            rows={health?.markets}
            expected={2}
            keyOf={({ id }) => id}
            columns={[
              { head: words.market, cell: ({ id }) => <code>{id}</code> },
              {
                head: words.status,
                cell: ({ status }) => (
                  <Badge tone={HEALTH_TONES[status]}>{words.healths[status]}</Badge>
                ),
              },
              { head: words.service, cell: ({ inService }) => (inService ? words.yes : words.no) },
              { head: words.waiting, align: 'end', cell: ({ queueDepth }) => queueDepth },
              { head: words.workers, align: 'end', cell: ({ workers }) => workers.length },
            ]}
          />
          {health?.markets.map(({ id, workers }) => (
            <Section key={id} title={texts.partner.health.workersOf(id)}>
              <Workers market={id} workers={workers} />
            </Section>
          ))}
          {health && <Trading isPaused={health.tradingPaused} />}
        </>
      )}
    </Page>
  )
}

export function Trading({ isPaused }: { readonly isPaused: boolean }) {
  const queries = useQueryClient()
  return (
    <Section title={words.trading}>
      <Notice tone={isPaused ? 'warn' : 'good'}>
        {isPaused ? words.tradingPaused : words.tradingOn}
      </Notice>
      <Form
        key={String(isPaused)}
        submit={isPaused ? words.resume : words.pause}
        look={isPaused ? 'main' : 'danger'}
        onSubmit={async (values) => {
          const body = { paused: !isPaused, reason: textOf(values, 'reason') }
          await call('switchTrading', { body })
          await queries.invalidateQueries(healthQuery)
        }}
      >
        {(problems) => (
          <Field label={words.reason} name="reason" problem={problems.reason} required />
        )}
      </Form>
    </Section>
  )
}
