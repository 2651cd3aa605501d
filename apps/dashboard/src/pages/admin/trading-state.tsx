import type { AdminHealth } from '@tradepost/contract'
import type { ReactNode } from 'react'
import { Notice } from '../../kit/notice.tsx'
import { Ago } from '../../kit/time.tsx'
import { admin as words } from '../../texts/admin.ts'

/** Whether new buys and sells are accepted, and if not, who paused them, why and when. */
export const TradingState = ({
  health: { tradingPaused, pause },
  children,
}: {
  readonly health: Pick<AdminHealth, 'tradingPaused' | 'pause'>
  readonly children?: ReactNode
}) => (
  <Notice tone={tradingPaused ? 'warn' : 'good'}>
    {tradingPaused ? words.tradingPaused : words.tradingOn}{' '}
    {pause && (
      <>
        {words.pausedBy(pause.by, pause.reason)} (<Ago at={pause.since} />){' '}
      </>
    )}
    {children}
  </Notice>
)
