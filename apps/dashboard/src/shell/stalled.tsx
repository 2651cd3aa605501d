// Says so when nothing has arrived for a while: without a network, or from a service that does not answer.
import { type Query, useIsFetching, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Notice } from '../kit/notice.tsx'
import { texts } from '../texts/texts.ts'

const LONG_MS = 5000

const hasNothing = ({ state }: Query): boolean => state.status === 'pending'

export function Stalled() {
  const queries = useQueryClient()
  const isWaiting = useIsFetching({ predicate: hasNothing }) > 0
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    setLong(false)
    if (!isWaiting) return
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(timer)
  }, [isWaiting])
  if (!isLong) return null
  const retry = async (): Promise<void> => {
    setLong(false)
    await queries.cancelQueries({ predicate: hasNothing })
    await queries.refetchQueries({ type: 'active', predicate: hasNothing })
  }
  return (
    <Notice tone="warn">
      <p>{texts.errors.offline}</p>
      <div>
        <Button size="small" onClick={() => void retry()}>
          {texts.actions.retry}
        </Button>
      </div>
    </Notice>
  )
}
