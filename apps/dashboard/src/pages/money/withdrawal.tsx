import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { WithdrawalDetail } from '@tradepost/contract'
import { Attempt } from '../../kit/attempt.tsx'
import { CopyId } from '../../kit/copy.tsx'
import {
  Columns,
  DetailList,
  type DetailListProps,
  Timeline,
  type TimelineEntry,
} from '../../kit/detail.tsx'
import { Badge, Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetail } from '../../kit/waiting.tsx'
import { withdrawalQuery } from '../../queries/money.ts'
import { sessionQuery } from '../../queries/session.ts'
import { money } from '../../texts/money.ts'
import { texts } from '../../texts/texts.ts'
import { chainName } from '../chain-name.ts'
import { CopyOnChain, OnChain } from '../on-chain.tsx'
import { ChildOrOwnById } from '../partner/child-or-own.tsx'
import { tokensText } from '../tokens.ts'
import { WITHDRAWAL_TONES } from '../tones.ts'
import { failureText } from './failure-text.ts'
import { dollars } from './payouts.tsx'

const { withdrawal: words, payouts: listWords } = money

export function WithdrawalPage() {
  const { id } = useParams({ from: '/shell/payouts/withdrawals/$id' })
  const { data: detail, error } = useQuery(withdrawalQuery(id))
  const { data: session } = useQuery(sessionQuery)
  const isPartner = session?.user.accountKind === 'partner'
  const list = isPartner ? '/partner-withdrawals' : '/payouts/withdrawals'
  return (
    <Page title={words.title} parent={[listWords.withdrawals, { to: list }]}>
      {error && <Failure error={error} />}
      {detail === undefined && !error && <WaitingDetail />}
      {detail && (
        <Columns
          aside={<WithdrawalDetails detail={detail} more={isPartner ? ofChild(detail) : []} />}
        >
          {detail.isHeld && <Notice tone="warn">{words.held}</Notice>}
          {!detail.isHeld && detail.waitsFor !== null && (
            <Notice>{words.waitsFor[detail.waitsFor]}</Notice>
          )}
          {!isPartner && isAskedAgain(detail) && <Notice tone="warn">{words.asksAgain}</Notice>}
          <Section title={words.history}>
            <Timeline entries={withdrawalEntries(detail)} />
          </Section>
          {!isPartner && (
            <Section title={words.callback}>
              <Approval approval={detail.approval} waits={words.callbackWaits} />
            </Section>
          )}
        </Columns>
      )}
    </Page>
  )
}

/** A request to approve it was in vain, and the next one is due. */
const isAskedAgain = ({ withdrawal: { status }, approval: { attempts } }: WithdrawalDetail) =>
  status === 'pending_callback' && attempts.some(({ result }) => result !== null)

const ofChild = ({ withdrawal: { userId } }: WithdrawalDetail): DetailListProps['details'] => [
  [texts.partner.withdrawals.child, <ChildOrOwnById key="child" id={userId} />],
]

interface ApprovalProps {
  readonly approval: WithdrawalDetail['approval']
  /** While no request was sent. */
  readonly waits: string
}

/** Each request to the approval endpoint, the latest first and open, with what came back. */
export const Approval = ({ approval: { webhookId, attempts }, waits }: ApprovalProps) => (
  <>
    <p>{attempts.length === 0 ? waits : words.callbackText(webhookId)}</p>
    {attempts.toReversed().map(({ number, startedAt, result, request, answer }, i) => (
      <Attempt
        key={number}
        isOpen={i === 0}
        summary={
          <>
            {words.attempt(number)} · <Time at={startedAt} seconds /> · {resultText(result)}
          </>
        }
        parts={[
          [words.request, request === null ? words.noText : indented(request)],
          [words.answer, answer ? indented(answer) : words.noText],
        ]}
      />
    ))}
  </>
)

const resultText = (result: string | null): string =>
  result === null ? words.noAnswer : words.result(result)

/** JSON with an indent; any other text as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const hashOf = ({ chain, txHash }: WithdrawalDetail['withdrawal']) =>
  txHash && <OnChain chain={chain} kind="tx" value={txHash} />

/** What happened to a withdrawal. */
export function withdrawalEntries({ withdrawal, approval }: WithdrawalDetail): TimelineEntry[] {
  const { createdAt, broadcastAt, confirmedAt, status, failureReason } = withdrawal
  const entries: TimelineEntry[] = [
    { at: createdAt, title: words.created },
    ...approval.attempts.map(({ startedAt, result }) => ({
      at: startedAt,
      title: words.approval,
      detail: resultText(result),
    })),
  ]
  if (broadcastAt) entries.push({ at: broadcastAt, title: words.sent, detail: hashOf(withdrawal) })
  if (confirmedAt) entries.push({ at: confirmedAt, title: words.confirmed, tone: 'good' })
  if (status === 'refunded') {
    const last = entries.at(-1)?.at ?? createdAt
    entries.push({
      at: last,
      title: words.refunded,
      detail: failureText(failureReason),
      tone: 'bad',
    })
  }
  return entries
}

interface WithdrawalDetailsProps {
  readonly detail: WithdrawalDetail
  /** Shown first. */
  readonly more?: DetailListProps['details']
}

export function WithdrawalDetails({
  detail: { withdrawal, amountToken },
  more = [],
}: WithdrawalDetailsProps) {
  const { chain } = withdrawal
  return (
    <DetailList
      details={[
        ...more,
        [
          listWords.status,
          <Badge key="state" tone={WITHDRAWAL_TONES[withdrawal.status]}>
            {listWords.statuses[withdrawal.status]}
          </Badge>,
        ],
        [words.reason, failureText(withdrawal.failureReason)],
        [words.amount, tokensText(amountToken, withdrawal)],
        [words.value, dollars(withdrawal.amountCents)],
        [words.fee, dollars(withdrawal.feeCents)],
        [words.chain, chainName(chain)],
        [
          words.destination,
          <CopyOnChain
            key="to"
            {...{ chain, kind: 'address', value: withdrawal.destination, what: words.destination }}
          />,
        ],
        [
          words.transaction,
          withdrawal.txHash && (
            <CopyOnChain
              key="tx"
              {...{ chain, kind: 'tx', value: withdrawal.txHash, what: words.transaction }}
            />
          ),
        ],
        [words.externalId, withdrawal.externalId],
        [words.forUser, withdrawal.forUserExternalId ?? withdrawal.forUserId],
        [words.id, <CopyId key="id" value={withdrawal.id} what={words.id} />],
      ]}
    />
  )
}
