import { useQuery } from '@tanstack/react-query'
import { Meter } from '../../kit/meter.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { limitsQuery } from '../../queries/merchant.ts'
import { formatCount, texts } from '../../texts/texts.ts'

const words = texts.merchant.limits

export function LimitsPage() {
  const { data: limits, error } = useQuery(limitsQuery)
  // By its route, as in the table below.
  const routes = new Map(
    limits?.costs.map(({ operation, method, path }) => [operation, `${method} ${path}`]),
  )
  return (
    <Page title={words.title}>
      {error && <Failure error={error} />}
      {limits === undefined && !error && <Waiting />}
      {limits && (
        <>
          <Section title={words.budget}>
            <p>
              {words.used(formatCount(limits.budget.used), formatCount(limits.budget.limit))}{' '}
              {words.window(limits.budget.windowSeconds)} · {words.tier}: {limits.tier}
            </p>
            <Meter label={words.budget} used={limits.budget.used} limit={limits.budget.limit} />
          </Section>
          <Section title={words.caps}>
            <Table
              caption={words.caps}
              empty=""
              rows={limits.caps}
              keyOf={({ operation }) => operation}
              isFlowing
              columns={[
                {
                  head: words.method,
                  cell: ({ operation }) => <code>{routes.get(operation) ?? operation}</code>,
                },
                { head: words.usedHead, align: 'end', cell: ({ used }) => formatCount(used) },
                { head: words.limit, align: 'end', cell: ({ limit }) => formatCount(limit) },
              ]}
            />
          </Section>
          <Section title={words.costs}>
            <Table
              caption={words.costs}
              empty=""
              rows={limits.costs}
              keyOf={({ operation }) => operation}
              isFlowing
              columns={[
                {
                  head: words.method,
                  cell: ({ method, path }) => <code>{`${method} ${path}`}</code>,
                },
                { head: words.cost, align: 'end', cell: ({ cost }) => cost },
              ]}
            />
          </Section>
        </>
      )}
    </Page>
  )
}
