// What a new merchant or partner does first, with what of it is done, and the command for each step.
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { FirstSteps as Done, Overview } from '@tradepost/contract'
import type { ReactNode } from 'react'
import { Command } from '../../kit/command.tsx'
import { Badge } from '../../kit/notice.tsx'
import { Section } from '../../kit/page.tsx'
import { Bone } from '../../kit/waiting.tsx'
import { keysQuery } from '../../queries/account.ts'
import { anyTransferQuery, childrenLikeQuery } from '../../queries/partner.ts'
import { useSandboxUrl } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import {
  ADD_USER,
  buyOne,
  ENDPOINT,
  type KeyVariable,
  PARTNER_LISTINGS,
  PAY_IN,
  partnerBuyOne,
  TRY_OUT,
} from '../commands.ts'
import css from './overview.module.css'

const { steps: words } = texts.overview

interface FirstStepsProps {
  readonly data: Pick<Overview, 'totals' | 'webhook'> & {
    readonly firstSteps?: Done | null | undefined
  }
}

/** Where it is done, whether it is (undefined while that is not known), and how from a terminal. */
interface Step {
  readonly link: ReactNode
  readonly isDone: boolean | undefined
  readonly about?: string
  readonly commands?: readonly string[]
}

const to = (label: string, target: LinkProps['to'], params = {}): ReactNode => (
  <Link {...({ to: target, params } as LinkProps)}>{label}</Link>
)

const stepsOfMerchant = (
  isSandbox: boolean,
): readonly (Omit<Step, 'isDone'> & { readonly name: keyof Done })[] => [
  { name: 'key', link: to(words.key, '/keys'), about: words.keyHow },
  {
    name: 'wallet',
    link: to(words.deposit, '/deposits/new/{-$way}', { way: undefined }),
    about: isSandbox ? `${words.depositHow} ${words.depositInSandbox}` : words.depositHow,
    commands: PAY_IN,
  },
  {
    name: 'endpoint',
    link: to(words.webhook, '/webhook'),
    about: words.webhookHow,
    commands: [ENDPOINT],
  },
  {
    name: 'subUser',
    link: to(words.subUser, '/users'),
    about: words.subUserHow,
    commands: [ADD_USER],
  },
  {
    name: 'purchase',
    link: to(words.buy, '/market'),
    about: isSandbox ? words.buyInSandbox : words.buyHow,
    commands: [TRY_OUT, buyOne(isSandbox)],
  },
  { name: 'passkey', link: to(words.passkey, '/login-settings'), about: words.passkeyHow },
]

/** The service says what is done, for as long as the account is new. */
export function FirstSteps({ data: { firstSteps } }: FirstStepsProps): ReactNode {
  const isSandbox = useSandboxUrl() !== null
  if (!firstSteps) return null
  const steps = stepsOfMerchant(isSandbox).map(({ name, ...step }) => ({
    ...step,
    isDone: firstSteps[name],
  }))
  return <Steps steps={steps} variable="TRADEPOST_API_KEY" />
}

/** Asks for nothing once something was bought. */
export const PartnerFirstSteps = ({ data }: FirstStepsProps): ReactNode =>
  data.totals.tradeCount === 0 && <StepsOfPartner {...data} />

/** A partner also buys by itself; its children are what most partners open an account for. */
function StepsOfPartner({ totals, webhook }: FirstStepsProps['data']): ReactNode {
  const { data: keys } = useQuery(keysQuery())
  const isSandbox = useSandboxUrl() !== null
  const { data: children } = useQuery(childrenLikeQuery(''))
  const { data: transfer } = useQuery(anyTransferQuery)
  const isOf = (found: { readonly items: readonly unknown[] } | undefined) =>
    found && found.items.length > 0
  const steps: readonly Step[] = [
    { link: to(words.key, '/keys'), isDone: keys?.some(({ status }) => status === 'active') },
    {
      link: to(words.deposit, '/deposits/new/{-$way}', { way: undefined }),
      isDone: totals.spotBalance > 0,
    },
    { link: to(words.child, '/children'), isDone: isOf(children) },
    {
      link: to(words.transfer, '/transfers'),
      // A child may also have its money from elsewhere.
      isDone: isOf(transfer) || children?.items.some(({ balance }) => balance > 0),
    },
    { link: to(words.webhook, '/webhook'), isDone: webhook.status !== null },
  ]
  // Once only the order is left, the page has a sentence for that.
  if (!steps.some(({ isDone }) => isDone === false)) return null
  const order = {
    ...{ link: to(words.order, '/orders'), isDone: false },
    about: isSandbox ? words.orderInSandbox : words.orderHow,
    commands: [PARTNER_LISTINGS, partnerBuyOne(isSandbox)],
  }
  return <Steps steps={[...steps, order]} variable="TRADEPOST_PARTNER_KEY" />
}

const Steps = ({
  steps,
  variable,
}: {
  readonly steps: readonly Step[]
  readonly variable: KeyVariable
}) => (
  <Section title={words.title}>
    {steps.some(({ isDone, commands }) => isDone === false && commands) && (
      <p>{words.lead(variable)}</p>
    )}
    <ol className={css.steps}>
      {steps.map(({ link, isDone, about, commands }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a page stay in their places
        <li key={i}>
          {link} <State isDone={isDone} />
          {isDone === false && about && <p>{about}</p>}
          {isDone === false &&
            commands?.map((command) => (
              <Command key={command} value={command} what={texts.kit.command} />
            ))}
        </li>
      ))}
    </ol>
  </Section>
)

const State = ({ isDone }: { readonly isDone: boolean | undefined }) =>
  isDone === undefined ? (
    <Bone />
  ) : (
    <Badge tone={isDone ? 'good' : 'plain'}>{isDone ? words.done : words.open}</Badge>
  )
