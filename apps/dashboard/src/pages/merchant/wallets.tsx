import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Figures, Tabs } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Export } from '../../kit/export.tsx'
import { AMOUNT, Field } from '../../kit/field.tsx'
import { amountIn, Form, textOf } from '../../kit/form.tsx'
import { formatMoney } from '../../kit/money.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Acts, Page } from '../../kit/page.tsx'
import { Bone } from '../../kit/waiting.tsx'
import { balanceThresholdQuery } from '../../queries/account.ts'
import { walletsQuery } from '../../queries/merchant.ts'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { LowBalanceButton, noteOf } from '../account/low-balance.tsx'
import { PayInButton } from '../money/pay-in-button.tsx'
import { WalletLedger } from './ledger.tsx'

const words = texts.merchant.wallets
const WALLETS = ['spot', 'earnings'] as const

export function WalletsPage() {
  const { tab } = useParams({ from: '/shell/wallets/{-$tab}' })
  const search = useSearch({ from: '/shell/wallets/{-$tab}' })
  const { data: wallets, error: walletsError } = useQuery(walletsQuery)
  const { data: threshold, error: thresholdError } = useQuery(balanceThresholdQuery)
  const error = walletsError ?? thresholdError
  const [isMoving, setMoving] = useState(false)
  const mayMove = useCapability('money.write')
  const shown = tab === 'earnings' ? 'earnings' : 'spot'
  const currency = wallets?.find(({ type }) => type === shown)?.currency ?? 'USD'
  return (
    <Page
      title={words.title}
      act={
        <Acts>
          <PayInButton />
          <LowBalanceButton />
          {mayMove && <Button onClick={() => setMoving(true)}>{words.transfer}</Button>}
          <Export
            what="ledger"
            title={words.tabs[shown]}
            query={{ ...search, walletType: shown }}
          />
        </Acts>
      }
    >
      {error && <Failure error={error} />}
      <Figures
        figures={WALLETS.map((type) => {
          const wallet = wallets?.find((each) => each.type === type)
          return [
            words[type],
            wallet ? formatMoney(wallet.balance, wallet.currency) : <Bone key="bone" />,
            type === 'spot' && (threshold ? noteOf(threshold) : <Bone key="note" />),
          ]
        })}
      />
      <Tabs
        tabs={WALLETS.map((each) => ({
          label: words.tabs[each],
          link: { to: '/wallets/{-$tab}', params: { tab: each === 'spot' ? undefined : each } },
        }))}
      />
      {wallets && <WalletLedger key={shown} walletType={shown} currency={currency} />}
      {isMoving && (
        <TransferDialog
          {...{ currency, earnings: wallets?.find(({ type }) => type === 'earnings') }}
          onClose={() => setMoving(false)}
        />
      )}
    </Page>
  )
}

function TransferDialog({
  currency,
  earnings,
  onClose,
}: {
  readonly currency: string
  readonly earnings: { readonly balance: number; readonly currency: string } | undefined
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  // Made with the dialog: a second click sends the same transfer.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  return (
    <Dialog title={words.transfer} onClose={onClose}>
      <p>{words.transferText}</p>
      <Form
        submit={words.transfer}
        done={(values) => words.transferred(amountIn(values, currency))}
        onCancel={onClose}
        onSubmit={async (values) => {
          const body = { amount: textOf(values, 'amount') }
          await call('transferEarningsToSpot', { body, idempotencyKey })
          await Promise.all([
            queries.invalidateQueries(walletsQuery),
            queries.invalidateQueries({ queryKey: ['listLedger'] }),
          ])
          onClose()
        }}
      >
        {(problems) => (
          <Field
            {...{ label: texts.merchant.users.amount(currency), name: 'amount' }}
            {...AMOUNT}
            hint={texts.merchant.users.amountHint(
              earnings ? formatMoney(earnings.balance, earnings.currency) : null,
            )}
            problem={problems.amount}
            autoFocus
            required
          />
        )}
      </Form>
    </Dialog>
  )
}
