import type { ReactNode } from 'react'
import { ApiError } from '../api/call.ts'
import { texts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import css from './kit.module.css'

interface NoticeProps {
  readonly tone?: 'info' | 'good' | 'warn' | 'bad'
  readonly children: ReactNode
}

export const Notice = ({ tone = 'info', children }: NoticeProps) => (
  <div className={css.notice} data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
)

/** What went wrong, in our words for the service's key, with the request to quote. */
export function Failure({
  error,
  onRetry,
}: {
  readonly error: unknown
  readonly onRetry?: () => void
}) {
  const { key, requestId } = error instanceof ApiError ? error : { key: '', requestId: null }
  const { errors } = texts
  const known = key === 'OFFLINE' ? errors.offline : errors.keys[key]
  return (
    <Notice tone="bad">
      <p>{known ?? errors.title}</p>
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

export type Tone = 'good' | 'warn' | 'bad' | 'plain'

export const Badge = ({
  tone,
  children,
}: {
  readonly tone: Tone
  readonly children: ReactNode
}) => (
  <span className={css.badge} data-tone={tone}>
    {children}
  </span>
)
