import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Withdrawal } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { ConsoleLink } from '../../kit/console-link.tsx'
import { CopyId } from '../../kit/copy.tsx'
import { DetailList, Figures, type Tab, Tabs } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Export } from '../../kit/export.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { choice, text, time } from '../../kit/list/filters.ts'
import { type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { formatMoney, formatTokens, Money } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Acts, Page, Section } from '../../kit/page.tsx'
import { QrCode } from '../../kit/qr.tsx'
import { ShortId } from '../../kit/short-id.tsx'
import { Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { Bone, Waiting } from '../../kit/waiting.tsx'
import { custodyAddressQuery, custodyQuery, destinationsQuery } from '../../queries/money.ts'
import { useCapability, useSandboxUrl } from '../../queries/session.ts'
import { PAYOUT_PAGES } from '../../shell/navigation.ts'
import { money } from '../../texts/money.ts'
import { chainName } from '../chain-name.ts'
import { symbolOf } from '../symbols.ts'
import { DEPOSIT_TONES, WITHDRAWAL_TONES } from '../tones.ts'
import { EVM_ADDRESS } from './evm-address.ts'
import { PayoutCallback } from './payout-callback.tsx'

const {
  payouts: words,
  payIn: { names },
} = money

export const PAYOUT_TABS: readonly Tab[] = PAYOUT_PAGES.map(({ to, label }) => ({
  label,
  link: { to },
}))

/** Null: it has no price now. */
export const dollars = (cents: number | null): string =>
  cents === null ? words.unpriced : formatMoney(cents / 100, 'USD')

function Withdraw() {
  const navigate = useNavigate()
  if (!useCapability('money.write')) return null
  return (
    <Button look="main" onClick={() => void navigate({ to: '/payouts/withdraw' })}>
      {money.withdraw.title}
    </Button>
  )
}

export function CustodyPage() {
  const { data: custody, error } = useQuery(custodyQuery)
  const { data: address } = useQuery(custodyAddressQuery)
  return (
    <Page title={words.title} act={<Withdraw />}>
      <Tabs tabs={PAYOUT_TABS} />
      <p>{words.lead}</p>
      {error && <Failure error={error} />}
      {(custody || !error) && (
        <>
          <Figures
            figures={[[words.total, custody ? dollars(custody.totalCents) : <Bone key="bone" />]]}
          />
          <Table
            caption={words.custody}
            empty={<NoBalance />}
            rows={custody?.balances}
            keyOf={({ chain, token }) => `${chain} ${token}`}
            columns={[
              { head: words.chain, cell: ({ chain }) => chainName(chain) },
              { head: words.token, cell: symbolOf },
              {
                head: words.amount,
                align: 'end',
                cell: ({ amountToken }) => formatTokens(amountToken),
              },
              { head: words.value, align: 'end', cell: ({ amountCents }) => dollars(amountCents) },
              {
                head: words.pending,
                align: 'end',
                cell: ({ pendingCents }) => (pendingCents === 0 ? null : dollars(pendingCents)),
                isEmpty: ({ pendingCents }) => pendingCents === 0,
              },
            ]}
          />
        </>
      )}
      {address && (custody || error) && (
        <Section title={words.address}>
          <p>{words.addressText}</p>
          <QrCode text={address.address} label={money.deposit.qr} />
          <CopyId value={address.address} what={words.address} />
          <DetailList
            details={[
              [words.chains, address.chains.map(chainName).join(', ')],
              [words.tokens, address.tokens.map((token) => names[token] ?? token).join(', ')],
            ]}
          />
        </Section>
      )}
    </Page>
  )
}

function NoBalance() {
  const sandboxUrl = useSandboxUrl()
  return (
    <>
      <p>{words.empty}</p>
      {sandboxUrl !== null && (
        <p>
          <ConsoleLink url={sandboxUrl} view="chains">
            {words.payInSandbox}
          </ConsoleLink>
        </p>
      )}
    </>
  )
}

const { statuses: depositStatuses } = money.deposits
const CUSTODY_STATUSES = {
  pending: depositStatuses.pending,
  completed: depositStatuses.completed,
  failed: depositStatuses.failed,
} as const

/** What arrived at the addresses of custody: a row opens the deposit. */
export const CustodyDepositsPage = () => (
  <ListPage
    title={words.deposits}
    lead={<Tabs tabs={PAYOUT_TABS} />}
    route="listOwnCustodyDeposits"
    keyOf={({ id }) => id}
    open={({ id }) => ({ to: '/deposits/$id', params: { id } })}
    empty={words.noDeposits}
    filters={[choice('status', words.status, CUSTODY_STATUSES), time(words.arrived)]}
    columns={[
      { head: words.transaction, cell: ({ txHash }) => txHash && <ShortId id={txHash} /> },
      {
        head: words.status,
        width: 160,
        cell: ({ status }) => <Badge tone={DEPOSIT_TONES[status]}>{depositStatuses[status]}</Badge>,
      },
      {
        head: words.amount,
        align: 'end',
        width: 150,
        cell: ({ receivedAmountToken }) => formatTokens(receivedAmountToken),
      },
      { head: words.token, width: 90, cell: symbolOf },
      { head: words.chain, width: 100, cell: ({ chain }) => chain && chainName(chain) },
      {
        head: words.confirmations,
        align: 'end',
        width: 130,
        isMinor: true,
        cell: ({ confirmations }) => confirmations,
      },
      {
        ...{ head: words.user, isMinor: true, isOptional: true },
        cell: ({ userExternalId }) => userExternalId,
      },
      { head: words.arrived, width: 172, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
)

export const WITHDRAWAL_COLUMNS: readonly ListColumn<Withdrawal>[] = [
  { head: words.externalId, cell: ({ externalId }) => externalId },
  {
    head: words.status,
    width: 140,
    cell: ({ status }) => <Badge tone={WITHDRAWAL_TONES[status]}>{words.statuses[status]}</Badge>,
  },
  {
    head: words.value,
    align: 'end',
    width: 120,
    cell: ({ amountCents }) => <Money amount={amountCents / 100} currency="USD" />,
  },
  { head: words.token, width: 90, cell: symbolOf },
  { head: words.chain, width: 100, cell: ({ chain }) => chainName(chain) },
  {
    head: words.destination,
    width: 124,
    isMinor: true,
    cell: ({ destination }) => <ShortId id={destination} />,
  },
  { head: words.at, width: 172, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

export const WithdrawalsPage = () => (
  <ListPage
    title={words.withdrawals}
    lead={<Tabs tabs={PAYOUT_TABS} />}
    route="listOwnWithdrawals"
    keyOf={({ id }) => id}
    open={({ id }) => ({ to: '/payouts/withdrawals/$id', params: { id } })}
    empty={words.noWithdrawals}
    act={(query) => (
      <Acts>
        <Withdraw />
        <Export what="withdrawals" title={words.withdrawals} query={query} />
      </Acts>
    )}
    filters={[
      choice('status', words.status, words.statuses),
      text('externalId', words.externalId),
      time(words.at),
    ]}
    columns={WITHDRAWAL_COLUMNS}
  />
)

type Open =
  | { readonly kind: 'add' | 'switch' }
  | { readonly kind: 'remove'; readonly address: string }

export function DestinationsPage() {
  const { data, error } = useQuery(destinationsQuery)
  const queries = useQueryClient()
  const [open, setOpen] = useState<Open | null>(null)
  const close = (): void => setOpen(null)
  const refresh = () => queries.invalidateQueries(destinationsQuery)
  const mayChange = useCapability('money.write')
  const now = Date.now()
  return (
    <Page title={words.destinations}>
      <Tabs tabs={PAYOUT_TABS} />
      {error && <Failure error={error} />}
      {data === undefined && !error && <Waiting />}
      {data && (
        <>
          <Section title={words.listTitle}>
            <p>{data.onlyKnown ? words.onlyKnown : words.anywhere}</p>
            {mayChange && (
              <Acts>
                <Button look="main" onClick={() => setOpen({ kind: 'add' })}>
                  {words.add}
                </Button>
                <Button onClick={() => setOpen({ kind: 'switch' })}>
                  {data.onlyKnown ? words.allowAny : words.restrict}
                </Button>
              </Acts>
            )}
            <Table
              caption={words.listTitle}
              empty={words.listEmpty}
              rows={data.items}
              keyOf={({ address }) => address}
              columns={[
                { head: words.destination, cell: ({ address }) => <code>{address}</code> },
                {
                  head: words.usable,
                  cell: ({ usableFrom }) =>
                    Date.parse(usableFrom) <= now ? (
                      words.usableNow
                    ) : (
                      <>
                        {words.usableFrom} <Time at={usableFrom} />
                      </>
                    ),
                },
                {
                  head: words.actions,
                  cell: ({ address }) =>
                    mayChange && (
                      <Button
                        {...{ look: 'quiet', size: 'small' }}
                        onClick={() => setOpen({ kind: 'remove', address })}
                      >
                        {words.remove}
                      </Button>
                    ),
                },
              ]}
            />
          </Section>
          <Section title={words.limits}>
            <p>{words.limitsText}</p>
            <DetailList
              details={[
                [words.perTransaction, dollars(data.limits.transactionCents)],
                [words.perDay, dollars(data.limits.dayCents)],
              ]}
            />
          </Section>
          <PayoutCallback />
        </>
      )}
      {open?.kind === 'add' && (
        <Dialog title={words.add} onClose={close}>
          <Form
            submit={words.add}
            onCancel={close}
            onSubmit={async (values) => {
              await call('addDestination', { body: { address: textOf(values, 'address') } })
              await refresh()
              close()
            }}
          >
            {(problems) => (
              <Field
                {...{ label: words.addressLabel, name: 'address', hint: words.addText }}
                {...EVM_ADDRESS}
                problem={problems.address}
                autoFocus
                required
              />
            )}
          </Form>
        </Dialog>
      )}
      {open?.kind === 'remove' && (
        <Confirm
          {...{ title: words.removeTitle, act: words.remove, look: 'danger', onClose: close }}
          onConfirm={async () => {
            await call('removeDestination', { params: { address: open.address } })
            await refresh()
          }}
        >
          <p>
            <code>{open.address}</code>
          </p>
        </Confirm>
      )}
      {open?.kind === 'switch' && data && (
        <Confirm
          title={data.onlyKnown ? words.allowAny : words.restrict}
          act={data.onlyKnown ? words.allowAny : words.restrict}
          look={data.onlyKnown ? 'danger' : 'main'}
          onClose={close}
          onConfirm={async () => {
            await call('restrictDestinations', { body: { onlyKnown: !data.onlyKnown } })
            await refresh()
          }}
        >
          <p>{data.onlyKnown ? words.allowAnyText : words.restrictText}</p>
        </Confirm>
      )}
    </Page>
  )
}
