// A deposit and a withdrawal of any account: where it stands, what happened, and every posting about it.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type {
  AdminDeposit,
  AdminPosting,
  AdminWithdrawal,
  HeldPayment as Held,
} from '@tradepost/contract'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Columns, Timeline, type TimelineEntry } from '../../kit/detail.tsx'
import { formatMoney } from '../../kit/money.tsx'
import { Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { WithRunbooks } from '../../kit/runbook.tsx'
import { say } from '../../kit/said.tsx'
import { RowActs, Table } from '../../kit/table.tsx'
import { Text } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetail } from '../../kit/waiting.tsx'
import {
  adminDepositQuery,
  adminWithdrawalQuery,
  heldPaymentsQuery,
  waitingWithdrawalsQuery,
} from '../../queries/money.ts'
import { money } from '../../texts/money.ts'
import { readable } from '../../texts/readable.ts'
import { chainName } from '../chain-name.ts'
import { DepositDetails, depositEntries } from '../money/deposit.tsx'
import { Approval, WithdrawalDetails, withdrawalEntries } from '../money/withdrawal.tsx'
import { tokensText } from '../tokens.ts'
import { AccountLink } from './account-link.tsx'
import { worthOf } from './money.tsx'
import { ReasonDialog } from './reason.tsx'

const { admin: words, deposit: depositWords, withdrawal: withdrawalWords } = money

export function AdminDepositPage() {
  const { id } = useParams({ from: '/shell/admin/deposits/$id' })
  const { data: detail, error } = useQuery(adminDepositQuery(id))
  return (
    <Page title={depositWords.title} parent={[words.held, { to: '/admin/held-payments' }]}>
      {error && <Failure error={error} />}
      {detail === undefined && !error && <WaitingDetail />}
      {detail && (
        <Columns
          aside={
            <DepositDetails
              detail={detail}
              account={<AccountLink id={detail.accountId} name={detail.accountName} />}
            />
          }
        >
          {detail.held
            .filter(({ state }) => state === 'held')
            .map((held) => (
              <HeldPayment key={held.id} {...{ detail, held }} />
            ))}
          <Section title={depositWords.history}>
            <Timeline entries={depositEntries(detail)} />
          </Section>
          <Postings postings={detail.postings} />
        </Columns>
      )}
    </Page>
  )
}

export function AdminWithdrawalPage() {
  const { id } = useParams({ from: '/shell/admin/withdrawals/$id' })
  const { data: detail, error } = useQuery(adminWithdrawalQuery(id))
  return (
    <Page title={withdrawalWords.title} parent={[words.waiting, { to: '/admin/withdrawals' }]}>
      {error && <Failure error={error} />}
      {detail === undefined && !error && <WaitingDetail />}
      {detail && (
        <Columns
          aside={
            <WithdrawalDetails
              detail={detail}
              more={[
                [
                  words.whose,
                  <AccountLink key="account" id={detail.accountId} name={detail.accountName} />,
                ],
                [words.source, words.sources[detail.source]],
              ]}
            />
          }
        >
          {detail.heldReason !== null && <HeldWithdrawal detail={detail} why={detail.heldReason} />}
          {detail.transactionHold !== null && <HeldTransaction {...detail.transactionHold} />}
          <Section title={withdrawalWords.history}>
            <Timeline entries={entriesOf(detail)} />
          </Section>
          <Postings postings={detail.postings} />
          {detail.source === 'custody' && (
            <Section title={words.approval}>
              <Approval approval={detail.approval} waits={words.approvalWaits} />
            </Section>
          )}
        </Columns>
      )}
    </Page>
  )
}

/** As its owner sees it, with what operators decided. */
function entriesOf(detail: AdminWithdrawal): TimelineEntry[] {
  const decided = detail.decisions.map(({ at, decision, by, reason }) => ({
    at,
    title: words.decisions[decision],
    detail: depositWords.decided(by, reason),
  }))
  const all = [...withdrawalEntries(detail), ...decided]
  return all.sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

type Choice = 'release' | 'refuse'

interface DecisionProps {
  /** Why it waits. */
  readonly children: ReactNode
  readonly canRelease?: boolean
  /** What the choice does. */
  readonly effects: Readonly<Record<Choice, string>>
  /** Null where `onDecide` says what came of it. */
  readonly done?: null
  readonly onDecide: (decision: Choice, reason: string) => Promise<void>
}

/** Of an administrator, where everything about it is seen. */
function Decision({ children, canRelease = true, effects, onDecide, ...form }: DecisionProps) {
  const [chosen, setChosen] = useState<Choice | null>(null)
  return (
    <Notice tone="warn">
      <p>
        {words.waits} {children}
      </p>
      <RowActs>
        {canRelease && (
          <Button look="quiet" onClick={() => setChosen('release')}>
            {words.release}
          </Button>
        )}
        <Button look="quiet" onClick={() => setChosen('refuse')}>
          {words.refuse}
        </Button>
      </RowActs>
      {chosen && (
        <ReasonDialog
          {...{ title: words[chosen], act: words[chosen] }}
          done={chosen === 'release' ? words.said.released : words.said.refused}
          {...form}
          look={chosen === 'release' ? 'main' : 'danger'}
          onClose={() => setChosen(null)}
          onSubmit={(reason) => onDecide(chosen, reason)}
        >
          {effects[chosen]}
        </ReasonDialog>
      )}
    </Notice>
  )
}

interface HeldPaymentProps {
  readonly detail: AdminDeposit
  readonly held: Held
}

function HeldPayment({ detail: { deposit }, held }: HeldPaymentProps) {
  const { id, problem, amountToken, provider, reference } = held
  const queries = useQueryClient()
  return (
    <Decision
      canRelease={held.amountUsd !== null}
      effects={{ release: words.releaseHeldText(worthOf(held)), refuse: words.refuseHeldText }}
      onDecide={async (decision, reason) => {
        await call('decideHeldPayment', { params: { id }, body: { decision, reason } })
        await Promise.all(
          [heldPaymentsQuery, adminDepositQuery(deposit.id)].map(({ queryKey }) =>
            queries.invalidateQueries({ queryKey }),
          ),
        )
      }}
    >
      <Text>{problem}</Text>: {tokensText(amountToken, deposit)} ({worthOf(held)}),{' '}
      <code>
        <Text>{`${provider} ${reference}`}</Text>
      </code>
    </Decision>
  )
}

interface HeldWithdrawalProps {
  readonly detail: AdminWithdrawal
  readonly why: string
}

function HeldWithdrawal({ detail, why }: HeldWithdrawalProps) {
  const { withdrawal, amountToken, accountName } = detail
  const queries = useQueryClient()
  const value = formatMoney(withdrawal.amountCents / 100, 'USD')
  const amount = `${tokensText(amountToken, withdrawal)} (${value}, ${chainName(withdrawal.chain)})`
  return (
    <Decision
      done={null}
      effects={{
        release: words.releaseText(amount, accountName, withdrawal.destination),
        refuse: words.refuseText(amount, accountName),
      }}
      onDecide={async (decision, reason) => {
        const body = { decision, reason }
        const { outcome } = await call('decideWithdrawal', { params: { id: withdrawal.id }, body })
        say(words.outcomes[outcome])
        await Promise.all(
          [waitingWithdrawalsQuery, adminWithdrawalQuery(withdrawal.id)].map(({ queryKey }) =>
            queries.invalidateQueries({ queryKey }),
          ),
        )
      }}
    >
      {words.reasons[why] ?? <Text>{why}</Text>}.
    </Decision>
  )
}

/** Nothing is decided here: what is missing is brought in, as the runbook says. */
const HeldTransaction = ({ reason, runbook }: NonNullable<AdminWithdrawal['transactionHold']>) => (
  <Notice tone="warn">
    {words.transactionHeld(words.transactionHolds[reason] ?? words.signerRefused(reason))}{' '}
    <WithRunbooks>{runbook}</WithRunbooks>.
  </Notice>
)

const Postings = ({ postings }: { readonly postings: readonly AdminPosting[] }) => (
  <Section title={words.postings}>
    <Table
      caption={words.postings}
      empty={words.noPostings}
      rows={postings}
      keyOf={({ at, kind, from, to, amount, unit }) => [at, kind, from, to, amount, unit].join(' ')}
      columns={[
        { head: words.posting, cell: ({ kind }) => readable(kind) },
        { head: words.from, cell: ({ from }) => readable(from) },
        { head: words.to, cell: ({ to }) => readable(to) },
        {
          head: words.amount,
          align: 'end',
          cell: amountOf,
        },
        { head: words.time, cell: ({ at }) => <Time at={at} seconds /> },
      ]}
    />
  </Section>
)

/** A unit is a currency, or a token and its chain. */
function amountOf({ amount, unit }: AdminPosting): string {
  const [token = '', chain] = unit.split(' ')
  return chain === undefined
    ? formatMoney(Number(amount), unit)
    : money.deposits.on(tokensText(amount, { token, chain }), chainName(chain))
}
