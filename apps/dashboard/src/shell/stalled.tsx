// Says so when nothing has arrived for a while: without a network, or from a service that does not answer.
import { type Query, useIsFetching, useQueryClient } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Notice } from '../kit/notice.tsx'
import { texts } from '../texts/texts.ts'

/** From then on a reader is not left with a page that is being loaded. */
export const LONG_MS = 5000

const hasNothing = ({ state }: Query): boolean => state.status === 'pending'

interface StalledProps {
  /** What the frame waits for besides reads and the code of pages. */
  readonly isSending?: boolean
  /** Gives that up, so that it can be sent again. */
  readonly onGiveUp?: () => void
}

/** Stands in the frame of every page. */
export function Stalled({ isSending = false, onGiveUp }: StalledProps) {
  const queries = useQueryClient()
  const isOpening = useRouterState({ select: ({ isLoading }) => isLoading })
  const isReading = useIsFetching({ predicate: hasNothing }) > 0
  const isWaiting = isOpening || isReading || isSending
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    setLong(false)
    if (!isWaiting) return
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(timer)
  }, [isWaiting])
  if (!isLong) return null
  const retry = async (): Promise<void> => {
    if (isOpening) return loadAnew()
    setLong(false)
    onGiveUp?.()
    await queries.cancelQueries({ predicate: hasNothing })
    await queries.refetchQueries({ type: 'active', predicate: hasNothing })
  }
  return <Unreached onRetry={() => void retry()} />
}

export const Unreached = ({ onRetry }: { readonly onRetry: () => void }) => (
  <Notice tone="warn">
    <p>{texts.errors.offline}</p>
    <div>
      <Button size="small" onClick={onRetry}>
        {texts.actions.retry}
      </Button>
    </div>
  </Notice>
)

export const loadAnew = (): void => window.location.reload()
