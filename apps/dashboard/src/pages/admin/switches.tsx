import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Ago } from '../../kit/time.tsx'
import { chainsQuery, defaultsQuery, healthQuery, suppliersQuery } from '../../queries/admin.ts'
import { texts } from '../../texts/en.ts'
import { Trading } from './health.tsx'
import { BpsField, bpsOf } from './open-account.tsx'
import { ReasonDialog } from './reason.tsx'

const { admin: words } = texts

/** What an administrator switches for everyone: trading, markets, chains, defaults. */
export function SwitchesPage() {
  const { data: health, error } = useQuery(healthQuery)
  return (
    <Page title={words.switches}>
      {error && <Failure error={error} />}
      {health && <Trading isPaused={health.tradingPaused} />}
      <Markets />
      <Chains />
      <Defaults />
    </Page>
  )
}

interface Switched {
  readonly name: string
  readonly isOn: boolean
}

const State = ({ isOn }: { readonly isOn: boolean }) => (
  <Badge tone={isOn ? 'good' : 'warn'}>{isOn ? words.on : words.off}</Badge>
)

function Markets() {
  const { data: suppliers = [], error } = useQuery(suppliersQuery)
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<Switched | null>(null)
  return (
    <Section title={words.markets}>
      {error && <Failure error={error} />}
      <Table
        caption={words.markets}
        empty=""
        rows={suppliers}
        keyOf={({ market }) => market}
        columns={[
          { head: words.market, cell: ({ market }) => <code>{market}</code> },
          { head: words.status, cell: ({ enabled }) => <State isOn={enabled} /> },
          {
            head: texts.keys.actions,
            cell: ({ market, enabled }) => (
              <Button look="quiet" onClick={() => setChosen({ name: market, isOn: enabled })}>
                {enabled ? words.switchOff : words.switchOn}
              </Button>
            ),
          },
        ]}
      />
      {chosen && (
        <ReasonDialog
          title={words.switchTitle(chosen.name, chosen.isOn)}
          act={chosen.isOn ? words.switchOff : words.switchOn}
          look={chosen.isOn ? 'danger' : 'main'}
          onClose={() => setChosen(null)}
          onSubmit={async (reason) => {
            const body = { enabled: !chosen.isOn, reason }
            await call('switchMarket', { params: { market: chosen.name }, body })
            await queries.invalidateQueries(suppliersQuery)
          }}
        >
          {words.switchMarketText}
        </ReasonDialog>
      )}
    </Section>
  )
}

function Chains() {
  const { data: chains = [], error } = useQuery(chainsQuery)
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<Switched | null>(null)
  return (
    <Section title={words.chains}>
      {error && <Failure error={error} />}
      <Table
        caption={words.chains}
        empty=""
        rows={chains}
        keyOf={({ chain }) => chain}
        columns={[
          { head: words.chain, cell: ({ chain }) => <code>{chain}</code> },
          { head: words.status, cell: ({ enabled }) => <State isOn={enabled} /> },
          { head: words.reason, cell: ({ reason }) => reason ?? '–' },
          { head: words.block, align: 'end', cell: ({ block }) => block ?? '–' },
          {
            head: words.scanned,
            cell: ({ scannedAt }) => (scannedAt ? <Ago at={scannedAt} /> : words.never),
          },
          { head: words.pending, align: 'end', cell: ({ pending }) => pending },
          {
            head: texts.keys.actions,
            cell: ({ chain, enabled }) => (
              <Button look="quiet" onClick={() => setChosen({ name: chain, isOn: enabled })}>
                {enabled ? words.switchOff : words.switchOn}
              </Button>
            ),
          },
        ]}
      />
      {chosen && (
        <ReasonDialog
          title={words.switchTitle(chosen.name, chosen.isOn)}
          act={chosen.isOn ? words.switchOff : words.switchOn}
          look={chosen.isOn ? 'danger' : 'main'}
          onClose={() => setChosen(null)}
          onSubmit={async (reason) => {
            const body = { enabled: !chosen.isOn, reason }
            await call('switchChain', { params: { chain: chosen.name }, body })
            await queries.invalidateQueries(chainsQuery)
          }}
        >
          {words.switchChainText}
        </ReasonDialog>
      )}
    </Section>
  )
}

function Defaults() {
  const { data: defaults, error } = useQuery(defaultsQuery)
  const queries = useQueryClient()
  return (
    <Section title={words.defaults}>
      {error && <Failure error={error} />}
      {defaults && (
        <Form
          key={JSON.stringify(defaults)}
          submit={words.setDefaults}
          onSubmit={async (values) => {
            const feeBps = bpsOf(values, 'feeBps') ?? defaults.feeBps
            const limit = textOf(values, 'waitingLimit')
            const waitingLimit = limit === '' ? null : Number(limit)
            const body = { feeBps, waitingLimit, reason: textOf(values, 'reason') }
            queries.setQueryData(defaultsQuery.queryKey, await call('setDefaults', { body }))
          }}
        >
          {(problems) => (
            <>
              <BpsField
                {...{ name: 'feeBps', label: words.defaultFee, hint: words.feeHint, problems }}
                value={defaults.feeBps}
              />
              <Field
                {...{ label: words.waitingLimit, name: 'waitingLimit', inputMode: 'numeric' }}
                defaultValue={defaults.waitingLimit ?? ''}
                problem={problems.waitingLimit}
              />
              <Field label={words.reason} name="reason" problem={problems.reason} required />
            </>
          )}
        </Form>
      )}
    </Section>
  )
}
