// What a merchant that has not traded yet has to do first, with what of it is done.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Overview } from '@tradepost/contract'
import type { ReactNode } from 'react'
import { CopyId } from '../../kit/copy.tsx'
import { Badge } from '../../kit/notice.tsx'
import { Section } from '../../kit/page.tsx'
import { Bone } from '../../kit/waiting.tsx'
import { keysQuery } from '../../queries/account.ts'
import { texts } from '../../texts/texts.ts'
import css from './overview.module.css'

const { steps: words } = texts.overview

const TRY_OUT = `curl -s -H "api-key: $TRADEPOST_KEY" "${location.origin}/market/search?inStock=true"`

/** Nothing once only the first purchase is left: the page has a sentence for that. */
export function FirstSteps({ totals, webhook }: Pick<Overview, 'totals' | 'webhook'>): ReactNode {
  const { data: keys } = useQuery(keysQuery())
  const hasKey = keys?.some(({ status }) => status === 'active')
  const hasMoney = totals.spotBalance > 0
  const hasEndpoint = webhook.status !== null
  if (hasKey !== false && hasMoney && hasEndpoint) return null
  return (
    <Section title={words.title}>
      <ol className={css.steps}>
        <li>
          <Link to="/keys">{words.key}</Link> <State isDone={hasKey} />
        </li>
        <li>
          <Link to="/pay-in/{-$way}" params={{ way: undefined }}>
            {words.deposit}
          </Link>{' '}
          <State isDone={hasMoney} />
        </li>
        <li>
          <Link to="/webhook">{words.webhook}</Link> <State isDone={hasEndpoint} />
        </li>
        <li>
          <a href="/docs/guides/first-purchase">{words.buy}</a> <State isDone={false} />
          <p>{words.tryOut}</p>
          <CopyId value={TRY_OUT} what={words.command} />
        </li>
      </ol>
    </Section>
  )
}

/** Undefined while it is not known. */
const State = ({ isDone }: { readonly isDone: boolean | undefined }) =>
  isDone === undefined ? (
    <Bone />
  ) : (
    <Badge tone={isDone ? 'good' : 'plain'}>{isDone ? words.done : words.open}</Badge>
  )
