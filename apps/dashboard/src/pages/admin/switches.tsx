import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { AdminHealth } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { formatMoney } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Ago } from '../../kit/time.tsx'
import { useWaiting } from '../../kit/use-waiting.ts'
import { Waiting } from '../../kit/waiting.tsx'
import {
  chainsQuery,
  defaultsQuery,
  healthQuery,
  marketAccountsQuery,
  sellingPolicyQuery,
  suppliersQuery,
} from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'
import { chainName } from '../chain-name.ts'
import { BpsField, bpsOf } from './open-account.tsx'
import { ReasonDialog } from './reason.tsx'
import { SellingPolicy } from './selling-policy.tsx'
import { TradingState } from './trading-state.tsx'

/** What an administrator switches for everyone: trading, markets, defaults, what the bots buy, chains. */
export function SwitchesPage() {
  const { data: health, error } = useQuery(healthQuery)
  const isWaiting = useWaiting(
    healthQuery,
    suppliersQuery,
    marketAccountsQuery,
    chainsQuery,
    defaultsQuery,
    sellingPolicyQuery,
  )
  return (
    <Page title={words.switches}>
      {error && <Failure error={error} />}
      {isWaiting ? (
        <Waiting rows={12} />
      ) : (
        <>
          {health && <Trading health={health} />}
          <Markets />
          <MarketAccounts />
          <Defaults />
          <SellingPolicy />
          <Chains />
        </>
      )}
    </Page>
  )
}

function Trading({ health }: { readonly health: AdminHealth }) {
  const queries = useQueryClient()
  const isPaused = health.tradingPaused
  return (
    <Section title={words.trading}>
      <TradingState health={health} />
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
          <Field
            {...{ label: words.reason, name: 'reason', problem: problems.reason }}
            hint={isPaused ? undefined : words.reasonHint}
            required
          />
        )}
      </Form>
    </Section>
  )
}

interface SwitchTableProps<Row> {
  readonly title: string
  readonly head: string
  readonly rows: readonly Row[] | undefined
  readonly error: Error | null
  readonly nameOf: (row: Row) => string
  /** As people say it. */
  readonly labelOf: (row: Row) => string
  /** False for one that is on and does nothing: its settings are missing. */
  readonly isSetUp?: (row: Row) => boolean
  /** Between the status and the button. */
  readonly details?: readonly Column<Row>[]
  /** What switching one does. */
  readonly text: string
  readonly empty: string
  readonly onSwitch: (name: string, body: { enabled: boolean; reason: string }) => Promise<void>
}

interface Chosen {
  readonly name: string
  readonly label: string
  readonly isOn: boolean
}

/** What is on or off, each switched with a reason. */
function SwitchTable<Row extends { readonly enabled: boolean }>({
  title,
  head,
  rows,
  error,
  nameOf,
  labelOf,
  isSetUp = () => true,
  details = [],
  text,
  empty,
  onSwitch,
}: SwitchTableProps<Row>) {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  return (
    <Section title={title}>
      {error && <Failure error={error} />}
      {(rows || !error) && (
        <Table
          {...{ caption: title, empty, rows }}
          keyOf={nameOf}
          columns={[
            { head, cell: labelOf },
            {
              head: words.status,
              cell: (row) =>
                row.enabled && !isSetUp(row) ? (
                  <Badge tone="plain">{words.notSetUp}</Badge>
                ) : (
                  <Badge tone={row.enabled ? 'good' : 'warn'}>
                    {row.enabled ? words.on : words.off}
                  </Badge>
                ),
            },
            ...details,
            {
              head: texts.keys.actions,
              cell: (row) => (
                <Button
                  look="quiet"
                  onClick={() =>
                    setChosen({ name: nameOf(row), label: labelOf(row), isOn: row.enabled })
                  }
                >
                  {row.enabled ? words.switchOff : words.switchOn}
                </Button>
              ),
            },
          ]}
        />
      )}
      {chosen && (
        <ReasonDialog
          title={words.switchTitle(chosen.label, chosen.isOn)}
          act={chosen.isOn ? words.switchOff : words.switchOn}
          look={chosen.isOn ? 'danger' : 'main'}
          done={(chosen.isOn ? words.said.switchedOff : words.said.switchedOn)(chosen.label)}
          onClose={() => setChosen(null)}
          onSubmit={(reason) => onSwitch(chosen.name, { enabled: !chosen.isOn, reason })}
        >
          {text}
        </ReasonDialog>
      )}
    </Section>
  )
}

function Markets() {
  const { data: rows, error } = useQuery(suppliersQuery)
  const queries = useQueryClient()
  return (
    <SwitchTable
      {...{ title: words.markets, head: words.market, text: words.switchMarketText, rows, error }}
      empty={words.noMarkets}
      nameOf={({ market }) => market}
      labelOf={({ market }) => marketName(market)}
      onSwitch={async (market, body) => {
        await call('switchMarket', { params: { market }, body })
        await queries.invalidateQueries(suppliersQuery)
      }}
    />
  )
}

function MarketAccounts() {
  const { data: rows, error } = useQuery(marketAccountsQuery)
  const queries = useQueryClient()
  return (
    <SwitchTable
      {...{ title: words.marketAccounts, head: words.account, rows, error }}
      text={words.switchAccountText}
      empty={words.noMarkets}
      nameOf={({ market, account }) => `${market} ${account}`}
      labelOf={({ market, account }) => `${marketName(market)}, ${account}`}
      details={[
        {
          head: words.detail,
          cell: ({ closedBecause }) => closedBecause && words.closedBecause[closedBecause],
          isEmpty: ({ closedBecause }) => closedBecause === null,
        },
        { head: words.spendable, align: 'end', cell: ({ spendableUsd }) => dollars(spendableUsd) },
        { head: words.reserve, align: 'end', cell: ({ reserveUsd }) => dollars(reserveUsd) },
        {
          head: words.coverDays,
          align: 'end',
          cell: ({ coverDays }) => (coverDays === null ? '–' : words.days(coverDays)),
        },
        { head: words.waiting, align: 'end', cell: ({ waiting }) => waiting },
        {
          head: words.placedPerMinute,
          align: 'end',
          cell: ({ placedPerMinute }) => Math.round(placedPerMinute),
        },
      ]}
      onSwitch={async (name, body) => {
        const [market = '', account = ''] = name.split(' ')
        await call('switchMarketAccount', { params: { market, account }, body })
        await queries.invalidateQueries(marketAccountsQuery)
      }}
    />
  )
}

const dollars = (amount: number | null) => (amount === null ? '–' : formatMoney(amount, 'USD'))

function Chains() {
  const { data: rows, error } = useQuery(chainsQuery)
  const queries = useQueryClient()
  return (
    <SwitchTable
      {...{ title: words.chains, head: words.chain, text: words.switchChainText, rows, error }}
      empty={words.noChains}
      nameOf={({ chain }) => chain}
      labelOf={({ chain }) => chainName(chain)}
      isSetUp={({ scannedAt }) => scannedAt !== null}
      details={[
        { head: words.reason, cell: ({ reason }) => reason ?? '–' },
        { head: words.block, align: 'end', cell: ({ block }) => block ?? '–' },
        {
          head: words.scanned,
          cell: ({ scannedAt }) => (scannedAt ? <Ago at={scannedAt} /> : words.never),
        },
        { head: words.pending, align: 'end', cell: ({ pending }) => pending },
      ]}
      onSwitch={async (chain, body) => {
        await call('switchChain', { params: { chain }, body })
        await queries.invalidateQueries(chainsQuery)
      }}
    />
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
          done={texts.actions.saved}
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
