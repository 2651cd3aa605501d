import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { DepositQuoteResponse, OnrampQuoteResponse } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { ConsoleLink } from '../../kit/console-link.tsx'
import { CopyId } from '../../kit/copy.tsx'
import { DetailList, type Tab, Tabs } from '../../kit/detail.tsx'
import { AMOUNT, Field, Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { formatMoney, formatRate } from '../../kit/money.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { QrCode } from '../../kit/qr.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { depositWaysQuery, ownAddressQuery } from '../../queries/money.ts'
import { useCapability, useSandboxUrl } from '../../queries/session.ts'
import { money } from '../../texts/money.ts'
import { texts } from '../../texts/texts.ts'
import { chainName } from '../chain-name.ts'
import { tokensText } from '../tokens.ts'

const { payIn: words } = money
const to = '/deposits/new/{-$way}'

const TABS: readonly Tab[] = [
  { label: words.card, link: { to, params: { way: undefined } } },
  { label: words.gateway, link: { to, params: { way: 'gateway' } } },
  { label: words.chain, link: { to, params: { way: 'chain' } } },
]

/** By card, by gateway, or to the account's own address: each tab is one of them. */
export function PayInPage() {
  const { way } = useParams({ from: '/shell/deposits/new/{-$way}' })
  const shown = way === 'gateway' || way === 'chain' ? way : 'card'
  const { data: ways, error } = useQuery(depositWaysQuery)
  const mayPay = useCapability('money.write')
  return (
    <Page title={words.title} parent={[money.deposits.title, { to: '/deposits' }]}>
      <Tabs tabs={TABS} />
      <p>{words.about[shown]}</p>
      {error && <Failure error={error} />}
      {ways === undefined && !error && <Waiting />}
      {ways && shown === 'chain' && (ways.isChainOn ? <ByChain /> : <p>{words.off}</p>)}
      {shown !== 'chain' && !mayPay && <p>{texts.readOnly}</p>}
      {ways && mayPay && shown === 'card' && (ways.isCardOn ? <ByCard /> : <p>{words.off}</p>)}
      {ways &&
        mayPay &&
        shown === 'gateway' &&
        (ways.gateway.length > 0 ? <ByGateway offered={ways.gateway} /> : <p>{words.off}</p>)}
    </Page>
  )
}

interface AmountFieldProps {
  /** As the body of the request calls it: a refusal is shown at it. */
  readonly name: string
  readonly label: string
  /** Entered before; null: nothing yet. */
  readonly value: string | null
  readonly problem: string | undefined
}

const AmountField = ({ name, label, value, problem }: AmountFieldProps) => (
  <Field
    {...{ label, name, hint: words.amountHint, problem, ...AMOUNT }}
    defaultValue={value ?? '100.00'}
    required
  />
)

interface Asked<Currency> {
  readonly amount: string
  readonly currency: Currency
}

interface Offered {
  readonly currency: string
  readonly chains: readonly string[]
  readonly minDepositUsd: number
}

function ByGateway({ offered }: { readonly offered: readonly Offered[] }) {
  const [quote, setQuote] = useState<DepositQuoteResponse | null>(null)
  // What was asked for: the form has it again when the quote is left.
  const [asked, setAsked] = useState<Asked<DepositQuoteResponse['token']> | null>(null)
  const navigate = useNavigate()
  if (quote === null) {
    return (
      <Form
        submit={words.quote}
        onSubmit={async (values) => {
          const currency = textOf(values, 'currency') as DepositQuoteResponse['token']
          const amount = textOf(values, 'amount')
          setAsked({ amount, currency })
          setQuote(await call('quoteOwnDeposit', { body: { amount, currency } }))
        }}
      >
        {(problems) => (
          <>
            <AmountField
              {...{ name: 'amount', label: words.amount, problem: problems.amount }}
              value={asked?.amount ?? null}
            />
            <Select
              {...{ label: words.currency, name: 'currency' }}
              {...(asked && { defaultValue: asked.currency })}
            >
              {offered.map(({ currency, minDepositUsd }) => (
                <option key={currency} value={currency}>
                  {words.least(currency, formatMoney(minDepositUsd, 'USD'))}
                </option>
              ))}
            </Select>
          </>
        )}
      </Form>
    )
  }
  const chains = offered.find(({ currency }) => currency === quote.token)?.chains ?? []
  return (
    <Form
      submit={words.create}
      onCancel={() => setQuote(null)}
      onSubmit={async (values) => {
        const body = { quoteToken: quote.quoteToken, chain: textOf(values, 'chain') }
        const { fundingId } = await call('createOwnDeposit', { body })
        await navigate({ to: '/deposits/$id', params: { id: fundingId } })
      }}
    >
      {() => (
        <>
          <DetailList
            details={[
              [words.youSend, tokensText(quote.payAmountToken, quote)],
              [words.fee, formatMoney(quote.fee, 'USD')],
              [words.rate, money.deposit.rateOf(quote.token, formatRate(quote.exchangeRate))],
              [words.youGet, formatMoney(quote.receiveAmount, quote.currency)],
            ]}
          />
          <p>{words.holds}</p>
          <Select label={words.network} name="chain">
            {chains.map((chain) => (
              <option key={chain} value={chain}>
                {chainName(chain)}
              </option>
            ))}
          </Select>
        </>
      )}
    </Form>
  )
}

const CARD_CURRENCIES = ['EUR', 'USD', 'GBP'] as const

function ByCard() {
  const [quote, setQuote] = useState<OnrampQuoteResponse | null>(null)
  const [asked, setAsked] = useState<Asked<(typeof CARD_CURRENCIES)[number]> | null>(null)
  if (quote === null) {
    return (
      <Form
        submit={words.quote}
        onSubmit={async (values) => {
          const payCurrency = CARD_CURRENCIES.find((one) => one === values.get('currency')) ?? 'EUR'
          const payAmount = textOf(values, 'payAmount')
          const body = { payAmount, payCurrency }
          setAsked({ amount: payAmount, currency: payCurrency })
          setQuote(await call('quoteOwnCard', { body }))
        }}
      >
        {(problems) => (
          <>
            <AmountField
              {...{ name: 'payAmount', label: words.cardAmount, problem: problems.payAmount }}
              value={asked?.amount ?? null}
            />
            <Select
              {...{ label: words.cardCurrency, name: 'currency' }}
              {...(asked && { defaultValue: asked.currency })}
            >
              {CARD_CURRENCIES.map((currency) => (
                <option key={currency} value={currency}>
                  {currency}
                </option>
              ))}
            </Select>
          </>
        )}
      </Form>
    )
  }
  return (
    <Form
      submit={words.toCard}
      onCancel={() => setQuote(null)}
      onSubmit={async () => {
        const redirectUrl = `${window.location.origin}/dashboard/card-return`
        const body = { quoteToken: quote.quoteToken, redirectUrl }
        const { widgetUrl } = await call('createOwnCard', { body })
        window.location.assign(widgetUrl)
      }}
    >
      {() => (
        <>
          <DetailList
            details={[
              [words.youSend, formatMoney(quote.payAmount, quote.payCurrency)],
              [words.fee, formatMoney(quote.fee, quote.payCurrency)],
              [words.rate, money.deposit.rateOf(quote.payCurrency, formatRate(quote.exchangeRate))],
              [words.youGet, formatMoney(quote.receiveAmountUsd, 'USD')],
            ]}
          />
          <p>{words.holds}</p>
        </>
      )}
    </Form>
  )
}

function ByChain() {
  const { data, error } = useQuery(ownAddressQuery)
  const sandboxUrl = useSandboxUrl()
  if (error) return <Failure error={error} />
  if (!data) return <Waiting />
  return (
    <>
      <p>{words.chainText}</p>
      <QrCode text={data.address} label={money.deposit.qr} />
      <CopyId value={data.address} what={money.deposit.address} />
      {sandboxUrl !== null && (
        <p>
          {texts.kit.sandbox.faucet}{' '}
          <ConsoleLink url={sandboxUrl} view="chains">
            {texts.kit.sandbox.openFaucet}
          </ConsoleLink>
        </p>
      )}
      <DetailList
        details={[
          [words.chains, data.chains.map(chainName).join(', ')],
          [words.tokens, data.tokens.map((token) => words.names[token] ?? token).join(', ')],
          [words.minimum, words.minimumOfChains],
          [words.feeTaken, words.noFee],
        ]}
      />
    </>
  )
}
