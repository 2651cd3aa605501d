// Money that waits for an administrator, and the wallets that the service signs from.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { HeldPayment } from '@tradepost/contract'
import { useState } from 'react'
import { type Answer, call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import { textOf } from '../../kit/form.tsx'
import { formatMoney, Tokens } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { ShortId } from '../../kit/short-id.tsx'
import { Table } from '../../kit/table.tsx'
import { asText, Text } from '../../kit/text.tsx'
import { Ago, Time } from '../../kit/time.tsx'
import {
  heldPaymentsQuery,
  serviceWalletsQuery,
  waitingWithdrawalsQuery,
} from '../../queries/money.ts'
import { visible } from '../../texts/foreign.ts'
import { money } from '../../texts/money.ts'
import { chainName } from '../chain-name.ts'
import { OnChain } from '../on-chain.tsx'
import { symbolOf } from '../symbols.ts'
import { tokensText } from '../tokens.ts'
import { AccountLink } from './account-link.tsx'
import { ReasonDialog } from './reason.tsx'

const { admin: words } = money

export function HeldPaymentsPage() {
  const { data: held, error } = useQuery(heldPaymentsQuery)
  return (
    <Page title={words.held}>
      {error && <Failure error={error} />}
      {(held || !error) && (
        <Table
          caption={words.held}
          empty={words.heldEmpty}
          rows={held}
          keyOf={({ id }) => id}
          columns={[
            {
              head: words.problem,
              cell: ({ problem }) => problem,
            },
            {
              head: words.amount,
              align: 'end',
              cell: (payment) => tokensText(payment.amountToken, payment),
            },
            { head: words.value, align: 'end', cell: worthOf },
            {
              head: words.account,
              cell: ({ accountId, accountName }) => (
                <AccountLink id={accountId} name={accountName} />
              ),
            },
            {
              head: words.payment,
              cell: ({ provider, reference }) => (
                <code title={visible(`${provider}:${reference}`)}>
                  <Text>{`${provider} …${reference.slice(-12)}`}</Text>
                </code>
              ),
            },
            { head: words.at, cell: ({ heldAt }) => <Time at={heldAt} /> },
            {
              head: words.actions,
              cell: ({ depositId }) => (
                <Link to="/admin/deposits/$id" params={{ id: depositId }}>
                  {words.decide}
                </Link>
              ),
            },
          ]}
        />
      )}
    </Page>
  )
}

export const worthOf = ({ amountUsd }: Pick<HeldPayment, 'amountUsd'>): string =>
  amountUsd === null ? words.noValue : formatMoney(amountUsd, 'USD')

export function WaitingWithdrawalsPage() {
  const { data: waiting, error } = useQuery(waitingWithdrawalsQuery)
  return (
    <Page title={words.waiting}>
      {error && <Failure error={error} />}
      {(waiting || !error) && (
        <Table
          caption={words.waiting}
          empty={words.waitingEmpty}
          rows={waiting}
          keyOf={({ id }) => id}
          columns={[
            { head: words.why, cell: ({ heldReason }) => words.reasons[heldReason] ?? heldReason },
            {
              head: words.amount,
              align: 'end',
              cell: (one) =>
                money.deposits.on(tokensText(one.amountToken, one), chainName(one.chain)),
            },
            {
              head: money.payouts.value,
              align: 'end',
              cell: ({ amountCents }) => formatMoney(amountCents / 100, 'USD'),
            },
            { head: words.destination, cell: ({ destination }) => <ShortId id={destination} /> },
            {
              head: words.account,
              cell: ({ ownerId, ownerName }) => <AccountLink id={ownerId} name={ownerName} />,
            },
            { head: words.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              head: words.actions,
              cell: ({ id }) => (
                <Link to="/admin/withdrawals/$id" params={{ id }}>
                  {words.decide}
                </Link>
              ),
            },
          ]}
        />
      )}
    </Page>
  )
}

const WALLET_TONES = { open: 'good', halted: 'bad', reopening: 'warn' } as const

export function ServiceWalletsPage() {
  const { data: wallets, error } = useQuery(serviceWalletsQuery)
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<Answer<'listServiceWallets'>[number] | null>(null)
  const isHalting = chosen !== null && chosen.state !== 'halted'
  return (
    <Page title={words.wallets}>
      {error && <Failure error={error} />}
      {(wallets || !error) && (
        <Table
          caption={words.wallets}
          empty={words.walletsEmpty}
          rows={wallets}
          keyOf={({ chain, key }) => `${chain} ${key}`}
          columns={[
            {
              head: words.wallet,
              cell: ({ chain, key }) => `${chainName(chain)}, ${keyWord(key)}`,
            },
            {
              head: words.address,
              cell: ({ chain, address }) => (
                <OnChain chain={chain} kind="address" value={address} />
              ),
            },
            { head: words.nonce, align: 'end', cell: ({ nextNonce }) => nextNonce },
            {
              head: words.state,
              cell: ({ state, haltedReason }) => (
                <>
                  <Badge tone={WALLET_TONES[state]}>{words.states[state]}</Badge>{' '}
                  {asText(haltedReason)}
                </>
              ),
            },
            {
              head: words.actions,
              cell: (wallet) => (
                <Button look="quiet" onClick={() => setChosen(wallet)}>
                  {wallet.state === 'halted' ? words.reopen : words.halt}
                </Button>
              ),
            },
          ]}
        />
      )}
      {wallets && wallets.length > 0 && <WalletBalances wallets={wallets} />}
      {chosen && (
        <ReasonDialog
          {...(isHalting
            ? { title: words.halt, act: words.halt, look: 'danger' }
            : { title: words.reopen, act: words.reopen, fields: foreignField })}
          done={isHalting ? words.said.walletHalted : words.said.walletReopened}
          onClose={() => setChosen(null)}
          onSubmit={async (reason, values) => {
            const key = chosen.key === 'gas' ? 'gas' : 'hot'
            const foreignHashes = isHalting ? [] : listOf(textOf(values, 'foreignHashes'))
            const body = { halted: isHalting, reason, foreignHashes }
            await call('switchWallet', { params: { chain: chosen.chain, key }, body })
            await queries.invalidateQueries(serviceWalletsQuery)
          }}
        >
          {isHalting ? words.haltText : words.reopenText}
        </ReasonDialog>
      )}
    </Page>
  )
}

/** Without them a wallet that lost a nonce stays halted. */
const foreignField = (problems: Readonly<Record<string, string>>) => (
  <Field
    label={words.foreign}
    name="foreignHashes"
    hint={words.foreignHint}
    problem={problems.foreignHashes}
    autoFocus
  />
)

/** Of a text with commas or spaces between its parts. */
const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '')

type Wallets = Answer<'listServiceWallets'>

/** By chain and token: what the books have, what the node reported, what waits to be paid. */
export const WalletBalances = ({ wallets }: { readonly wallets: Wallets }) => (
  <Section title={words.balances}>
    <p>
      {words.balancesText} <a href="/docs/chains#keys">{words.balancesGuide}</a>
    </p>
    <Table
      caption={words.balances}
      empty={words.balancesEmpty}
      rows={wallets.flatMap(({ chain, key, balances }) =>
        balances.map((balance) => ({ chain, key, ...balance })),
      )}
      keyOf={({ chain, key, token }) => `${chain} ${key} ${token}`}
      columns={[
        { head: words.wallet, cell: ({ chain, key }) => `${chainName(chain)}, ${keyWord(key)}` },
        {
          head: money.payouts.token,
          cell: ({ isLow, ...balance }) => (
            <>
              {symbolOf(balance)} {isLow && <Badge tone="bad">{words.low}</Badge>}
            </>
          ),
        },
        { head: words.booked, align: 'end', cell: ({ booked }) => <Tokens amount={booked} /> },
        { head: words.onNode, align: 'end', cell: ({ onNode }) => <Tokens amount={onNode} /> },
        { head: words.compared, cell: ({ comparedAt }) => comparedAt && <Ago at={comparedAt} /> },
        { head: words.queued, align: 'end', cell: ({ queued }) => <Tokens amount={queued} /> },
      ]}
    />
  </Section>
)

const keyWord = (key: string): string => (key === 'gas' ? words.keys.gas : words.keys.hot)
