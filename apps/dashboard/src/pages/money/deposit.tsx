import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { DashboardDeposit, DepositDetail } from '@tradepost/contract'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { ConsoleLink } from '../../kit/console-link.tsx'
import { CopyId } from '../../kit/copy.tsx'
import { Columns, DetailList, Timeline, type TimelineEntry } from '../../kit/detail.tsx'
import { formatMoney, formatRate, formatTokens } from '../../kit/money.tsx'
import { Badge, Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { QrCode } from '../../kit/qr.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetail } from '../../kit/waiting.tsx'
import { depositQuery } from '../../queries/money.ts'
import { sessionQuery, useCapability, useSandboxUrl } from '../../queries/session.ts'
import { money } from '../../texts/money.ts'
import { texts } from '../../texts/texts.ts'
import { chainName } from '../chain-name.ts'
import { CopyOnChain } from '../on-chain.tsx'
import { ChildOrOwnById } from '../partner/child-or-own.tsx'
import { symbolOf } from '../symbols.ts'
import { tokensText } from '../tokens.ts'
import { DEPOSIT_TONES } from '../tones.ts'
import { askedOf, OwnOrId } from './deposits.tsx'

const { deposit: words, deposits: listWords } = money

export function DepositPage() {
  const { id } = useParams({ from: '/shell/deposits/$id' })
  const { data: detail, error } = useQuery(depositQuery(id))
  const [isCancelling, setCancelling] = useState(false)
  const queries = useQueryClient()
  const mayCancel = useCapability('money.write')
  return (
    <Page
      title={words.title}
      parent={[listWords.title, { to: '/deposits' }]}
      act={
        mayCancel &&
        detail?.deposit.status === 'initiated' && (
          <Button onClick={() => setCancelling(true)}>{words.cancel}</Button>
        )
      }
    >
      {error && <Failure error={error} />}
      {detail === undefined && !error && <WaitingDetail />}
      {detail && (
        <Columns aside={<OwnDetails detail={detail} />}>
          {isHeld(detail) ? (
            <Notice tone="warn">{words.heldNow}</Notice>
          ) : (
            detail.pay && <WhereToPay detail={detail} />
          )}
          <Section title={words.history}>
            <Timeline entries={depositEntries(detail)} />
          </Section>
        </Columns>
      )}
      {isCancelling && (
        <Confirm
          title={words.cancel}
          act={words.cancel}
          done={words.canceled}
          look="danger"
          onClose={() => setCancelling(false)}
          onConfirm={async () => {
            await call('cancelOwnDeposit', { params: { id } })
            await queries.invalidateQueries({ queryKey: ['listOwnDeposits'] })
            await queries.invalidateQueries(depositQuery(id))
          }}
        >
          <p>{words.cancelText}</p>
        </Confirm>
      )}
    </Page>
  )
}

/** A payment has come that an operator looks at: nothing more is to be paid meanwhile. */
const isHeld = ({ held }: DepositDetail): boolean => held.some(({ state }) => state === 'held')

/** A provider's answer is not ours: no other scheme becomes a link. */
const IS_WEB = /^https?:\/\//i

function WhereToPay({ detail: { deposit, pay } }: { readonly detail: DepositDetail }) {
  const sandboxUrl = useSandboxUrl()
  if (pay === null) return null
  return (
    <Section title={words.payTitle}>
      {pay.address !== null && (
        <>
          {deposit.status === 'initiated' ? (
            <p>{words.payText(askedOf(deposit))}</p>
          ) : (
            <Notice tone="warn">{missingText(deposit, pay.missingToken)}</Notice>
          )}
          <QrCode text={pay.qrContent ?? pay.address} label={words.qr} />
          <CopyId value={pay.address} what={words.address} />
        </>
      )}
      {sandboxUrl !== null && deposit.method === 'gateway' && (
        <p>
          {texts.kit.sandbox.pay}{' '}
          <ConsoleLink url={sandboxUrl} view="gateway">
            {texts.kit.sandbox.openGateway}
          </ConsoleLink>
        </p>
      )}
      {pay.pageUrl !== null && IS_WEB.test(pay.pageUrl) && (
        <p>
          <a href={pay.pageUrl} rel="noreferrer">
            {words.openPage}
          </a>
        </p>
      )}
      {deposit.expiresAt && deposit.status !== 'partial' && (
        <p>
          {words.until}: <Time at={deposit.expiresAt} />
        </p>
      )}
    </Section>
  )
}

/** What has come of the amount, and what is left to pay; null: a payment is not counted yet. */
function missingText(deposit: DashboardDeposit, missing: string | null): string {
  if (missing === null) return words.uncounted
  const received = formatTokens(deposit.receivedAmountToken)
  const text = deposit.status === 'partial' ? words.rest : words.missing
  return text(askedOf(deposit), received, tokensText(missing, deposit))
}

/** What happened to a deposit. */
export function depositEntries({
  deposit,
  credits,
  reversals,
  held,
}: DepositDetail): TimelineEntry[] {
  const { currency, status } = deposit
  const entries: TimelineEntry[] = [
    { at: deposit.createdAt, title: words.created },
    ...(status === 'pending' ? [{ at: deposit.updatedAt, title: words.seen }] : []),
    ...credits.map(({ at, reference, amountToken, amount }) => ({
      at,
      title: words.credited(formatMoney(amount, currency)),
      detail: words.creditDetail(
        // Of a card the provider sends dollars in coins that it does not name.
        deposit.method === 'onramp' ? null : tokensText(amountToken, deposit),
        // A transfer is known by its transaction, which stands beside this.
        deposit.method === 'crypto' ? null : reference,
      ),
      tone: 'good' as const,
    })),
    ...reversals.map(({ at, amount, owed }) => ({
      at,
      title: words.reversed(formatMoney(amount, currency)),
      detail: owed > 0 ? words.owed(formatMoney(owed, currency)) : null,
      tone: 'bad' as const,
    })),
    ...held.flatMap(({ heldAt, decidedAt, decidedBy, decisionReason, state }) => [
      { at: heldAt, title: words.held, tone: 'warn' as const },
      ...(decidedAt === null || state === 'held'
        ? []
        : [
            {
              at: decidedAt,
              title: words[state],
              detail: decidedBy && words.decided(decidedBy, decisionReason ?? ''),
            },
          ]),
    ]),
  ]
  if (status !== 'initiated' && status !== 'pending') {
    const tone = DEPOSIT_TONES[status]
    const title = words.ends[status]
    entries.push({ at: deposit.updatedAt, title, ...(tone !== 'plain' && { tone }) })
  }
  return entries.sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

/** A partner knows its children by their e-mail addresses. */
function OwnDetails({ detail }: { readonly detail: DepositDetail }) {
  const { data: session } = useQuery(sessionQuery)
  const isPartner = session?.user.accountKind === 'partner'
  const account = isPartner ? <ChildOrOwnById id={detail.deposit.userId} /> : undefined
  return <DepositDetails {...{ detail, account }} />
}

const rateOf = ({ exchangeRate, cardCharge, ...token }: DashboardDeposit): string | null =>
  exchangeRate === null
    ? null
    : words.rateOf(cardCharge?.currency ?? symbolOf(token), formatRate(exchangeRate))

/** Of a card in its currency, as the quote had it. */
function feeOf({ fee, cardCharge, exchangeRate }: DashboardDeposit): string | null {
  if (fee === null) return null
  return cardCharge === null || exchangeRate === null
    ? formatMoney(fee, 'USD')
    : formatMoney(fee / exchangeRate, cardCharge.currency)
}

interface DepositDetailsProps {
  readonly detail: DepositDetail
  /** In place of the account's own reference. */
  readonly account?: ReactNode
}

export function DepositDetails({ detail: { deposit }, account }: DepositDetailsProps) {
  const money = (amount: number | null, currency: string) =>
    amount === null ? null : formatMoney(amount, currency)
  // Of a transfer on a chain nothing was asked or quoted.
  const isTransfer = deposit.method === 'crypto'
  // A card’s fee never reaches us.
  const isFeeWithheld = deposit.method === 'gateway' && deposit.creditedAmount !== null
  return (
    <DetailList
      details={[
        [
          words.now,
          <Badge key="state" tone={DEPOSIT_TONES[deposit.status]}>
            {listWords.statuses[deposit.status]}
          </Badge>,
        ],
        [words.reason, deposit.reason && (words.reasons[deposit.reason] ?? deposit.reason)],
        [words.id, <CopyId key="id" value={deposit.id} what={words.id} />],
        [
          words.account,
          account ?? deposit.userExternalId ?? <OwnOrId key="account" id={deposit.userId} />,
        ],
        [listWords.method, listWords.methods[deposit.method]],
        [words.asked, isTransfer ? null : askedOf(deposit)],
        [
          words.received,
          deposit.method === 'onramp' || deposit.receivedAmountToken === null
            ? null
            : tokensText(deposit.receivedAmountToken, deposit),
        ],
        [words.promised, money(deposit.quotedUsd, 'USD')],
        [words.creditedTo, money(deposit.creditedAmount, deposit.currency)],
        [isFeeWithheld ? words.fee : words.quotedFee, feeOf(deposit)],
        [words.rate, rateOf(deposit)],
        [words.chain, deposit.chain && chainName(deposit.chain)],
        [words.confirmations, deposit.confirmations],
        [
          words.transaction,
          deposit.txHash && (
            <CopyOnChain
              key="tx"
              {...{ chain: deposit.chain, kind: 'tx', value: deposit.txHash }}
              what={words.transaction}
            />
          ),
        ],
        [listWords.at, <Time key="at" at={deposit.createdAt} />],
      ]}
    />
  )
}
