import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { WithdrawalDetail } from '@tradepost/contract'
import { CopyId } from '../../kit/copy.tsx'
import { Columns, Facts, Timeline, type TimelineEntry } from '../../kit/detail.tsx'
import { Badge, Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { withdrawalQuery } from '../../queries/money.ts'
import { texts } from '../../texts/en.ts'
import css from '../account/delivery.module.css'
import { WITHDRAWAL_TONES } from '../tones.ts'
import { dollars } from './payouts.tsx'

const { withdrawal: words, payouts: listWords } = texts.money

export function WithdrawalPage() {
  const { id } = useParams({ from: '/shell/payouts/withdrawals/$id' })
  const { data: detail, error } = useQuery(withdrawalQuery(id))
  return (
    <Page title={words.title}>
      {error && <Failure error={error} />}
      {detail && (
        <Columns aside={<WithdrawalFacts detail={detail} />}>
          {detail.isHeld && <Notice tone="warn">{words.held}</Notice>}
          <Section title={words.history}>
            <Timeline entries={entriesOf(detail)} />
          </Section>
          <Section title={words.request}>
            <p>{words.requestText(detail.approval.webhookId)}</p>
            <div className={css.attempt}>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
              <pre tabIndex={0}>{detail.approval.request}</pre>
            </div>
          </Section>
        </Columns>
      )}
    </Page>
  )
}

function entriesOf({ withdrawal, approval }: WithdrawalDetail): TimelineEntry[] {
  const { createdAt, broadcastAt, confirmedAt, status, failureReason } = withdrawal
  const entries: TimelineEntry[] = [
    { at: createdAt, title: words.created },
    ...approval.attempts.map(({ startedAt, result }) => ({
      at: startedAt,
      title: words.approval,
      detail: result ?? words.noAnswer,
    })),
  ]
  if (broadcastAt) entries.push({ at: broadcastAt, title: words.sent, detail: withdrawal.txHash })
  if (confirmedAt) entries.push({ at: confirmedAt, title: words.confirmed, tone: 'good' })
  if (status === 'refunded') {
    const last = entries.at(-1)?.at ?? createdAt
    entries.push({ at: last, title: words.refunded, detail: failureReason, tone: 'bad' })
  }
  return entries
}

function WithdrawalFacts({
  detail: { withdrawal, amountToken },
}: {
  readonly detail: WithdrawalDetail
}) {
  return (
    <Facts
      facts={[
        [
          listWords.status,
          <Badge key="state" tone={WITHDRAWAL_TONES[withdrawal.status]}>
            {listWords.statuses[withdrawal.status]}
          </Badge>,
        ],
        [words.reason, withdrawal.failureReason],
        [words.amount, `${amountToken} ${withdrawal.token}`],
        [words.value, dollars(withdrawal.amountCents)],
        [words.fee, dollars(withdrawal.feeCents)],
        [words.chain, withdrawal.chain],
        [
          words.destination,
          <CopyId key="to" value={withdrawal.destination} what={words.destination} />,
        ],
        [
          words.transaction,
          withdrawal.txHash && (
            <CopyId key="tx" value={withdrawal.txHash} what={words.transaction} />
          ),
        ],
        [words.externalId, withdrawal.externalId],
        [words.forUser, withdrawal.forUserExternalId ?? withdrawal.forUserId],
        [words.id, <CopyId key="id" value={withdrawal.id} what={words.id} />],
      ]}
    />
  )
}
