import { useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { Button } from '../kit/button.tsx'
import { Notice } from '../kit/notice.tsx'
import { Time } from '../kit/time.tsx'
import { sessionQuery } from '../queries/session.ts'
import { texts } from '../texts/texts.ts'

const { login: words } = texts

/** On every page while a second factor that was reported as lost waits for its removal. */
export function RemovalBanner({ removesAt }: { readonly removesAt: string }) {
  const queries = useQueryClient()
  const keep = async (): Promise<void> => {
    // One that has ended meanwhile is NOT_FOUND: the session says how it stands.
    await call('keepFactor', {}).catch(() => {})
    await queries.invalidateQueries(sessionQuery)
  }
  return (
    <Notice tone="warn">
      <p>
        {words.removal} <Time at={removesAt} />
      </p>
      <Button size="small" onClick={() => void keep()}>
        {words.keep}
      </Button>
    </Notice>
  )
}
