// What went wrong with a trade, and what to do: above everything else, and not folded.
import { Link, type LinkProps } from '@tanstack/react-router'
import type { TradeDelivery, TradeFailureCode } from '@tradepost/contract'
import { Folded } from '../../kit/folded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Text } from '../../kit/text.tsx'
import { readable } from '../../texts/readable.ts'
import { texts } from '../../texts/texts.ts'
import { trade as words } from '../../texts/trade.ts'

const { failures } = texts.merchant.trades

interface ProblemItem {
  readonly id: string
  /** What it is called among those of its trade. */
  readonly name: string
  readonly error: string | null
  /** The market’s own words about its end. */
  readonly detail: string | null
  readonly revertedBy?: 'supplier' | 'user' | null
}

interface ProblemsProps {
  readonly items: readonly ProblemItem[]
  readonly deliveries: readonly TradeDelivery[]
  /** The page of a delivery. */
  readonly linkOf: (delivery: TradeDelivery) => Pick<LinkProps, 'to' | 'params'>
}

/** A code that has no sentence stands for itself. */
export const failureOf = (code: string): string =>
  failures[code as TradeFailureCode] ?? readable(code)

/** The markets write of most offers that were not accepted in one manner: this word alone tells them apart. */
const DECLINED = /\bdeclined\b/i

function sentencesOf({
  error,
  detail,
  revertedBy,
}: ProblemItem): readonly [string, ...string[]] | null {
  if (error === null)
    return revertedBy ? [words.reverted[revertedBy], words.revertedRemedy[revertedBy]] : null
  const remedy = words.remedies[error]
  const rest = remedy === undefined ? [] : [remedy]
  if (error !== 'OFFER_NOT_ACCEPTED' || detail === null) return [failureOf(error), ...rest]
  if (DECLINED.test(detail)) return [words.offerDeclined, ...rest]
  return [failureOf(error), words.offerUnsaid, ...rest]
}

export const Problems = ({ items, deliveries, linkOf }: ProblemsProps) => (
  <>
    {items.map((item) => {
      const { id, name, error, detail } = item
      const sentences = sentencesOf(item)
      if (sentences === null) return null
      const [sentence, ...others] = sentences
      return (
        <Notice key={id} tone="warn">
          <p>
            <strong>{items.length > 1 ? words.problemOf(name, sentence) : sentence}</strong>
          </p>
          {others.length > 0 && <p>{others.join(' ')}</p>}
          {error && (
            <Folded summary={words.details}>
              <p>
                {words.code}: <code>{error}</code> ·{' '}
                <a href="/docs/errors-and-retries#the-error-of-an-item">{words.explained}</a>
              </p>
              {detail !== null && (
                <p>
                  {words.marketSays}: <Text>{detail}</Text>
                </p>
              )}
            </Folded>
          )}
        </Notice>
      )
    })}
    {failedOf(deliveries).map((delivery) => (
      <Notice key={delivery.deliveryId} tone="warn">
        <p>
          <strong>{words.webhookFailed(delivery.type, answerOf(delivery))}</strong>
        </p>
        <p>
          {words.webhookRemedy}{' '}
          <Link {...(linkOf(delivery) as LinkProps)}>{words.openDelivery}</Link>
        </p>
      </Notice>
    ))}
  </>
)

const MOST_DELIVERIES = 3

/** The last attempt of each delivery, where it failed; a few: an endpoint that is away fails all. */
function failedOf(deliveries: readonly TradeDelivery[]): TradeDelivery[] {
  const last = new Map(deliveries.map((attempt) => [attempt.deliveryId, attempt]))
  return [...last.values()]
    .filter(({ status }) => status === null || status < 200 || status > 299)
    .slice(0, MOST_DELIVERIES)
}

const answerOf = ({ status, error }: TradeDelivery): string =>
  status === null ? texts.webhook.noAnswer(error) : String(status)
