// What a merchant or partner that has not traded yet has to do first, with what of it is done.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Overview } from '@tradepost/contract'
import type { ReactNode } from 'react'
import { CopyId } from '../../kit/copy.tsx'
import { Badge } from '../../kit/notice.tsx'
import { Section } from '../../kit/page.tsx'
import { Bone } from '../../kit/waiting.tsx'
import { keysQuery } from '../../queries/account.ts'
import { anyChildQuery, anyTransferQuery } from '../../queries/partner.ts'
import { texts } from '../../texts/texts.ts'
import css from './overview.module.css'

const { steps: words } = texts.overview

const TRY_OUT = `curl -s -H "api-key: $TRADEPOST_API_KEY" "${location.origin}/market/search?inStock=true"`
const PARTNER_TRY_OUT = `curl -s -H "X-API-Key: $TRADEPOST_PARTNER_KEY" "${location.origin}/v2/market/search?q=redline&end=1"`

type FirstStepsProps = Pick<Overview, 'totals' | 'webhook'>

export function FirstSteps({ totals, webhook }: FirstStepsProps): ReactNode {
  return (
    <Steps
      steps={[useKeyStep(), depositStep(totals), webhookStep(webhook)]}
      last={
        <>
          <a href="/docs/first-purchase">{words.buy}</a> <State isDone={false} />
          <p>{words.tryOut}</p>
          <CopyId value={TRY_OUT} what={words.command} />
        </>
      }
    />
  )
}

/** A partner also buys by itself; its children are what most partners open an account for. */
export function PartnerFirstSteps({ totals, webhook }: FirstStepsProps): ReactNode {
  const { data: child } = useQuery(anyChildQuery)
  const { data: transfer } = useQuery(anyTransferQuery)
  const isOf = (found: { readonly items: readonly unknown[] } | undefined) =>
    found && found.items.length > 0
  return (
    <Steps
      steps={[
        useKeyStep(),
        depositStep(totals),
        [
          <Link key="child" to="/children">
            {words.child}
          </Link>,
          isOf(child),
        ],
        [
          <Link key="transfer" to="/transfers">
            {words.transfer}
          </Link>,
          isOf(transfer),
        ],
        webhookStep(webhook),
      ]}
      last={
        <>
          <a href="/docs/partner-platform">{words.order}</a> <State isDone={false} />
          <p>{words.partnerTryOut}</p>
          <CopyId value={PARTNER_TRY_OUT} what={words.command} />
        </>
      }
    />
  )
}

/** Where it is done, and whether it is; undefined while that is not known. */
type Step = readonly [link: ReactNode, isDone: boolean | undefined]

function useKeyStep(): Step {
  const { data: keys } = useQuery(keysQuery())
  return [
    <Link key="key" to="/keys">
      {words.key}
    </Link>,
    keys?.some(({ status }) => status === 'active'),
  ]
}

const depositStep = ({ spotBalance }: FirstStepsProps['totals']): Step => [
  <Link key="deposit" to="/pay-in/{-$way}" params={{ way: undefined }}>
    {words.deposit}
  </Link>,
  spotBalance > 0,
]

const webhookStep = ({ status }: FirstStepsProps['webhook']): Step => [
  <Link key="webhook" to="/webhook">
    {words.webhook}
  </Link>,
  status !== null,
]

/** Nothing once only the last step is left: the page has a sentence for that. */
const Steps = ({ steps, last }: { readonly steps: readonly Step[]; readonly last: ReactNode }) =>
  steps.some(([, isDone]) => isDone === false) && (
    <Section title={words.title}>
      <ol className={css.steps}>
        {steps.map(([link, isDone], i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a page stay in their places
          <li key={i}>
            {link} <State isDone={isDone} />
          </li>
        ))}
        <li>{last}</li>
      </ol>
    </Section>
  )

/** Undefined while it is not known. */
const State = ({ isDone }: { readonly isDone: boolean | undefined }) =>
  isDone === undefined ? (
    <Bone />
  ) : (
    <Badge tone={isDone ? 'good' : 'plain'}>{isDone ? words.done : words.open}</Badge>
  )
