import { useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { Button } from '../kit/button.tsx'
import { Notice } from '../kit/notice.tsx'
import { Time } from '../kit/time.tsx'
import { texts } from '../texts/texts.ts'

const { look: words } = texts

interface LookBannerProps {
  readonly accountName: string
  readonly reason: string
  readonly until: string
}

/** On every page while an administrator looks at another account. */
export function LookBanner({ accountName, reason, until }: LookBannerProps) {
  const queries = useQueryClient()
  const end = async (): Promise<void> => {
    await call('endImpersonation', {})
    queries.clear()
    window.location.assign('/dashboard')
  }
  return (
    <Notice tone="warn">
      <p>
        {words.at(accountName, reason)} <Time at={until} />
      </p>
      <Button size="small" onClick={() => void end()}>
        {words.end}
      </Button>
    </Notice>
  )
}
