// The mail about a low balance, on the page of a merchant's or a partner's wallet.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { BalanceThreshold } from '@tradepost/contract'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { AMOUNT, Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { formatMoney } from '../../kit/money.tsx'
import { Time } from '../../kit/time.tsx'
import { balanceThresholdQuery } from '../../queries/account.ts'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'

const words = texts.merchant.wallets

/** What stands below the balance: from which amount on a mail is sent, and since when it is below. */
export function noteOf({ threshold, currency, lowSince }: BalanceThreshold): ReactNode {
  if (threshold === null) return words.thresholdNone
  const amount = formatMoney(threshold, currency)
  return lowSince === null ? (
    words.thresholdBelow(amount)
  ) : (
    <>
      {words.lowSince(amount)} <Time at={lowSince} />
    </>
  )
}

export function LowBalanceButton() {
  const { data } = useQuery(balanceThresholdQuery)
  const [isOpen, setOpen] = useState(false)
  const maySet = useCapability('money.write')
  if (!maySet) return null
  return (
    <>
      {/* A press before the data is here opens the dialog when it is. */}
      <Button busy={isOpen && data === undefined} onClick={() => setOpen(true)}>
        {words.threshold}
      </Button>
      {isOpen && data && <ThresholdDialog shown={data} onClose={() => setOpen(false)} />}
    </>
  )
}

function ThresholdDialog({
  shown: { threshold, currency },
  onClose,
}: {
  readonly shown: BalanceThreshold
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const save = async (values: FormData): Promise<void> => {
    const amount = textOf(values, 'threshold')
    await call('setBalanceThreshold', { body: { threshold: amount === '' ? null : amount } })
    await queries.invalidateQueries(balanceThresholdQuery)
    onClose()
  }
  return (
    <Dialog title={words.threshold} onClose={onClose}>
      <p>{words.thresholdText}</p>
      <Form
        submit={texts.actions.save}
        done={texts.actions.saved}
        onCancel={onClose}
        onSubmit={save}
      >
        {(problems) => (
          <Field
            {...{ label: texts.merchant.users.amount(currency), name: 'threshold' }}
            {...{ hint: words.thresholdHint, ...AMOUNT }}
            defaultValue={threshold === null ? '' : threshold.toFixed(2)}
            problem={problems.threshold}
            autoFocus
          />
        )}
      </Form>
    </Dialog>
  )
}
