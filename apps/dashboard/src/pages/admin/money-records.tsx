// A deposit and a withdrawal of any account: where it stands, what happened, and every posting about it.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, type LinkProps, useParams } from '@tanstack/react-router'
import type { AdminPosting, AdminWithdrawal } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Columns, Timeline, type TimelineEntry } from '../../kit/detail.tsx'
import { formatMoney } from '../../kit/money.tsx'
import { Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { say } from '../../kit/said.tsx'
import { Table } from '../../kit/table.tsx'
import { Text } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetail } from '../../kit/waiting.tsx'
import {
  adminDepositQuery,
  adminWithdrawalQuery,
  waitingWithdrawalsQuery,
} from '../../queries/money.ts'
import { money } from '../../texts/money.ts'
import { chainName } from '../chain-name.ts'
import { DepositFacts, depositEntries } from '../money/deposit.tsx'
import { Approval, WithdrawalFacts, withdrawalEntries } from '../money/withdrawal.tsx'
import { tokensText } from '../tokens.ts'
import { AccountLink } from './account-link.tsx'
import { type Decision as Choice, Decide, WithReason } from './money.tsx'

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
            <DepositFacts
              detail={detail}
              account={<AccountLink id={detail.accountId} name={detail.accountName} />}
            />
          }
        >
          {detail.held.some(({ state }) => state === 'held') && (
            <Waits page="/admin/held-payments" />
          )}
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
            <WithdrawalFacts
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
          {detail.heldReason !== null && <Decision detail={detail} why={detail.heldReason} />}
          {detail.transactionHold !== null && <Held {...detail.transactionHold} />}
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

const Waits = ({ page }: { readonly page: NonNullable<LinkProps['to']> }) => (
  <Notice tone="warn">
    {words.waits} <Link to={page}>{words.decide}</Link>
  </Notice>
)

interface DecisionProps {
  readonly detail: AdminWithdrawal
  readonly why: string
}

/** Of an administrator, where everything about the withdrawal is seen. */
function Decision({ detail, why }: DecisionProps) {
  const { withdrawal, amountToken, accountName } = detail
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<Choice | null>(null)
  const value = formatMoney(withdrawal.amountCents / 100, 'USD')
  const amount = `${tokensText(amountToken, withdrawal)} (${value}, ${chainName(withdrawal.chain)})`
  const decide = async (decision: Choice, reason: string): Promise<void> => {
    const body = { decision, reason }
    const { outcome } = await call('decideWithdrawal', { params: { id: withdrawal.id }, body })
    say(words.outcomes[outcome])
    await Promise.all(
      [waitingWithdrawalsQuery, adminWithdrawalQuery(withdrawal.id)].map(({ queryKey }) =>
        queries.invalidateQueries({ queryKey }),
      ),
    )
  }
  return (
    <Notice tone="warn">
      <p>
        {words.waits} {words.reasons[why] ?? <Text>{why}</Text>}.
      </p>
      <Decide onChoose={setChosen} />
      {chosen && (
        <WithReason
          title={words[chosen]}
          look={chosen === 'release' ? 'main' : 'danger'}
          text={
            chosen === 'release'
              ? words.releaseText(amount, accountName, withdrawal.destination)
              : words.refuseText(amount, accountName)
          }
          onClose={() => setChosen(null)}
          onDecide={(reason) => decide(chosen, reason)}
        />
      )}
    </Notice>
  )
}

/** Nothing is decided here: what is missing is brought in, as the runbook says. */
const Held = ({ reason, runbook }: NonNullable<AdminWithdrawal['transactionHold']>) => (
  <Notice tone="warn">
    {words.transactionHeld(words.transactionHolds[reason] ?? words.signerRefused(reason))}{' '}
    <code>{runbook}</code>.
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
    : `${tokensText(amount, { token, chain })} ${chain}`
}

/** A name of the books, as words: `ledger_clearing` is `ledger clearing`. */
const readable = (name: string): string => name.replaceAll('_', ' ')
