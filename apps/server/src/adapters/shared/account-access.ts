// Whether a market serves our account. A key that is refused, or an address that is forbidden, fails every
// call until an operator steps in: our account is closed, and purchases are not tried in vain.
import type { Clock } from '#infra/process/clock'
import type { AccountReading, MarketId } from '#ports/catalog'
import type { Log } from './feed-counters.ts'

export interface AccountAccess {
  /** What an answer to a call with our key said: why we are refused, or null when we were served. */
  note(refusal: string | null): void
  refusal(): string | null
}

export function createAccountAccess(
  { market, account }: { readonly market: MarketId; readonly account: string },
  log: Log,
): AccountAccess {
  let refusal: string | null = null
  return {
    note(latest) {
      if (latest === refusal) return
      refusal = latest
      const fields = { event: 'market_account', market, account, detail: latest }
      if (latest === null) log.info(fields, 'the market serves our account again')
      else log.error({ ...fields, alarm: true }, 'the market refuses our account')
    },
    refusal: () => refusal,
  }
}

/** What is known of our account: that it is refused, or what its balance was read to be. */
export function readingOf(
  access: AccountAccess,
  latest: AccountReading | null,
  clock: Clock,
): AccountReading | null {
  const detail = access.refusal()
  if (detail === null) return latest
  return { askedAt: clock.now(), said: { kind: 'refused', because: 'forbidden', detail } }
}
