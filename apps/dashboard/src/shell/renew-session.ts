// The session's token is renewed while its person works, so that one that was copied is good for an hour.
import { useEffect } from 'react'
import { lastUsedAt } from '../api/attendance.ts'
import { call } from '../api/call.ts'

const EVERY_MS = 3_600_000
const LOOK_EVERY_MS = 60_000
const RENEWED_AT = 'session-renewed-at'

/** One tab renews for all: the others read the new token when their own is refused. */
export function useRenewedSession(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const renew = async (): Promise<void> => {
      const renewedAt = Number(localStorage.getItem(RENEWED_AT) ?? 0)
      if (lastUsedAt() <= renewedAt || Date.now() - renewedAt < EVERY_MS) return
      localStorage.setItem(RENEWED_AT, String(Date.now()))
      // A session that has ended is met by the next call of the page.
      await call('refreshSession', {}).catch(() => {})
    }
    const timer = setInterval(() => void renew(), LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [isOn])
}
