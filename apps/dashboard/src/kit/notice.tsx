import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../api/call.ts'
import { isLoggedOut, logInAgain } from '../queries/session.ts'
import { texts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import css from './kit.module.css'
import { formatMoney } from './money.tsx'
import { asText } from './text.tsx'

interface NoticeProps {
  readonly tone?: 'info' | 'good' | 'warn' | 'bad'
  readonly children: ReactNode
}

export const Notice = ({ tone = 'info', children }: NoticeProps) => (
  <div className={css.notice} data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
    {asText(children)}
  </div>
)

/** What went wrong, in our words for the service's key, with the request to quote. */
export function Failure({
  error: thrown,
  onRetry,
}: {
  readonly error: unknown
  readonly onRetry?: () => void
}) {
  const error = ofAddress(thrown)
  const { key, requestId } = error instanceof ApiError ? error : { key: '', requestId: null }
  const { errors } = texts
  // The first step of an administrator, and no fault.
  if (key === 'TWO_FACTOR_SETUP_REQUIRED') {
    return (
      <Notice tone="warn">
        <p>{errors.keys[key]}</p>
        <p>
          <Link to="/login-settings">{errors.setUpFactor}</Link>
        </p>
      </Notice>
    )
  }
  // Met by a form: a page whose data is refused so is left for the log-in page by itself.
  if (isLoggedOut(error)) {
    return (
      <Notice tone="bad">
        <p>{messageOf(error)}</p>
        <p>
          <a href={logInAgain()}>{errors.logInAgain}</a>
        </p>
      </Notice>
    )
  }
  return (
    <Notice tone="bad">
      <p>{messageOf(error) ?? errors.title}</p>
      {requestId !== null && <code>{errors.request(key, requestId)}</code>}
      {onRetry && (
        <div>
          <Button size="small" onClick={onRetry}>
            {texts.actions.retry}
          </Button>
        </div>
      )}
    </Notice>
  )
}

/** Whose address names what is no id at all, there is nothing of that name. */
function ofAddress(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.key !== 'VALIDATION_FAILED') return error
  const { errors: [first] = [] } = error.meta as {
    errors?: readonly Readonly<Record<'in' | 'pointer' | 'rule', string>>[]
  }
  if (first?.in !== 'path' || first.rule !== 'format') return error
  const key = first.pointer === '/tradeId' ? 'TRADE_NOT_FOUND' : 'NOT_FOUND'
  return new ApiError(key, {}, error.requestId)
}

/** In the words of the page; undefined for what is no refusal of the service. */
export function messageOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { key, meta } = error
  const { errors } = texts
  if (key === 'OFFLINE') return errors.offline
  if (key === 'SERVICE_DISABLED' && meta.reason === 'mail_off') return errors.keys.MAIL_OFF
  if (key === 'DEPOSIT_AMOUNT_OUT_OF_RANGE') {
    const { minUsdCents: least, maxUsdCents: most } = meta
    if (typeof least === 'number' && typeof most === 'number')
      return errors.depositRange(formatMoney(least / 100, 'USD'), formatMoney(most / 100, 'USD'))
  }
  if (key === 'CRYPTO_PAYOUT_DESTINATION_INVALID') {
    return errors.destinations[String(meta.reason)] ?? errors.keys[key]
  }
  if (key === 'CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE' && meta.reason === 'fees') {
    const { minUsdCents: least } = meta
    return errors.feesTakeAll(typeof least === 'number' ? formatMoney(least / 100, 'USD') : null)
  }
  return errors.keys[key]
}

export type Tone = 'good' | 'warn' | 'bad' | 'plain'

export const Badge = ({
  tone,
  children,
}: {
  readonly tone: Tone
  readonly children: ReactNode
}) => (
  <span className={css.badge} data-tone={tone}>
    {asText(children)}
  </span>
)
