// A withdrawal from payout custody: what is asked for, what it costs now, and then the act itself.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Custody, PayoutToken, WithdrawalQuote } from '@tradepost/contract'
import { useId, useState } from 'react'
import { call } from '../../api/call.ts'
import { DetailList } from '../../kit/detail.tsx'
import { AMOUNT, Field, Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { hundredthsOf } from '../../kit/hundredths.ts'
import { formatMoney } from '../../kit/money.tsx'
import { Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { useApprovalEndpoint } from '../../queries/approval-endpoint.ts'
import { custodyQuery, destinationsQuery } from '../../queries/money.ts'
import { useCapability } from '../../queries/session.ts'
import { money } from '../../texts/money.ts'
import { texts } from '../../texts/texts.ts'
import { chainName } from '../chain-name.ts'
import { tokensText } from '../tokens.ts'
import { EVM_ADDRESS } from './evm-address.ts'

const { withdraw: words, payouts } = money

interface Order {
  readonly externalId: string
  readonly chain: string
  readonly token: PayoutToken
  readonly destination: string
  readonly amountCents: number
}

export function WithdrawPage() {
  const { data: custody, error } = useQuery(custodyQuery)
  const [asked, setAsked] = useState<Order | null>(null)
  const [quote, setQuote] = useState<WithdrawalQuote | null>(null)
  const mayWithdraw = useCapability('money.write')
  const held = custody?.balances.filter(({ amountWei }) => BigInt(amountWei) > 0n)
  return (
    <Page title={words.title} parent={[payouts.withdrawals, { to: '/payouts/withdrawals' }]}>
      {error && <Failure error={error} />}
      {custody === undefined && !error && <Waiting />}
      {held?.length === 0 && (
        <p>
          {words.nothing} <Link to="/payouts">{words.toCustody}</Link>
        </p>
      )}
      {!mayWithdraw && <p>{texts.readOnly}</p>}
      {mayWithdraw && held && held.length > 0 && (asked === null || quote === null) && (
        <OrderForm
          {...{ held, asked }}
          onQuote={(order, costs) => {
            setAsked(order)
            setQuote(costs)
          }}
        />
      )}
      {asked !== null && quote !== null && (
        <Review {...{ order: asked, quote }} onBack={() => setQuote(null)} />
      )}
    </Page>
  )
}

interface OrderFormProps {
  readonly held: Custody['balances']
  /** What was asked for before, when the reader comes back. */
  readonly asked: Order | null
  readonly onQuote: (order: Order, quote: WithdrawalQuote) => void
}

function OrderForm({ held, asked, onQuote }: OrderFormProps) {
  const { data: destinations } = useQuery(destinationsQuery)
  // Made with the form: what is sent twice is one withdrawal.
  const [reference] = useState(() => asked?.externalId ?? `dashboard-${crypto.randomUUID()}`)
  const known = useId()
  const ask = async (values: FormData): Promise<void> => {
    const [chain = '', token = ''] = textOf(values, 'from').split(' ')
    const order: Order = {
      externalId: textOf(values, 'externalId'),
      ...{ chain, token: token as PayoutToken, destination: textOf(values, 'destination') },
      amountCents: hundredthsOf(textOf(values, 'amountCents')),
    }
    const { externalId: _, ...body } = order
    onQuote(order, await call('quoteOwnWithdrawal', { body }))
  }
  return (
    <Form submit={words.next} onSubmit={ask}>
      {(problems) => (
        <>
          <Select
            label={words.from}
            name="from"
            {...(asked && { defaultValue: `${asked.chain} ${asked.token}` })}
          >
            {held.map(({ chain, token, amountToken }) => (
              <option key={`${chain} ${token}`} value={`${chain} ${token}`}>
                {words.balance(tokensText(amountToken, { chain, token }), chainName(chain))}
              </option>
            ))}
          </Select>
          <Field
            {...{ label: words.amount, name: 'amountCents', ...AMOUNT }}
            {...{ hint: words.amountHint, problem: problems.amountCents }}
            {...(asked && { defaultValue: (asked.amountCents / 100).toFixed(2) })}
            required
          />
          <Field
            {...{ label: words.destination, name: 'destination', list: known }}
            {...{ hint: words.destinationHint, problem: problems.destination }}
            {...EVM_ADDRESS}
            {...(asked && { defaultValue: asked.destination })}
            required
          />
          <datalist id={known}>
            {destinations?.items.map(({ address }) => (
              <option key={address} value={address} />
            ))}
          </datalist>
          <Field
            {...{ label: words.reference, name: 'externalId', defaultValue: reference }}
            {...{ hint: words.referenceHint, problem: problems.externalId, maxLength: 128 }}
            required
          />
        </>
      )}
    </Form>
  )
}

interface ReviewProps {
  readonly order: Order
  readonly quote: WithdrawalQuote
  readonly onBack: () => void
}

function Review({ order, quote, onBack }: ReviewProps) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const endpoint = useApprovalEndpoint()
  const { chain, destination, amountCents, externalId } = order
  const dollars = formatMoney(amountCents / 100, 'USD')
  const tokens = (amount: string): string => tokensText(amount, order)
  const details = (
    <DetailList
      details={[
        [words.receives, words.worth(tokens(quote.amountToken), dollars)],
        [words.destination, <code key="to">{destination}</code>],
        [payouts.chain, chainName(chain)],
        [words.fee, words.worth(tokens(quote.feeToken), formatMoney(quote.feeCents / 100, 'USD'))],
        [words.total, tokens(quote.totalToken)],
        [words.left, tokens(quote.heldToken)],
        [words.reference, externalId],
        [words.asked, endpoint && <code key="asked">{endpoint}</code>],
      ]}
    />
  )
  const send = async (): Promise<void> => {
    const { id } = await call('createOwnWithdrawal', { body: order })
    await Promise.all([
      queries.invalidateQueries(custodyQuery),
      queries.invalidateQueries({ queryKey: ['listOwnWithdrawals'] }),
    ])
    await navigate({ to: '/payouts/withdrawals/$id', params: { id } })
  }
  if (!quote.isCovered) {
    return (
      <Section title={words.review}>
        {details}
        <Form submit={words.back} look="plain" onSubmit={async () => onBack()}>
          {() => <Notice tone="bad">{words.uncovered}</Notice>}
        </Form>
      </Section>
    )
  }
  return (
    <Section title={words.review}>
      <Form submit={words.confirm(dollars)} onCancel={onBack} onSubmit={send}>
        {() => (
          <>
            {details}
            {quote.isAboveLimit && <Notice tone="warn">{words.aboveLimit}</Notice>}
            <p>{words.approval}</p>
          </>
        )}
      </Form>
    </Section>
  )
}
