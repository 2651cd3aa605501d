// Acting accounts, remembered for a moment. Only for reads of the market, which need nothing of an account
// but its currency and its fees: without the database query a suggestion costs the process 35 µs instead
// of 74. Every other operation reads it each time, so that a suspension or a new trade URL holds from the
// next request on.
import type { Clock } from '#infra/clock'
import { createBoundedCache } from '#infra/memo'
import type { ActingAccount, Tenant } from '../shared/principal.ts'
import type { ResolveAccount } from './resolve-account.ts'

/** New fees, and the end of a deleted sub-user, show in the market's prices this late at most. */
const REMEMBER_MS = 1000
const MAX_REMEMBERED = 10_000

export function rememberAccounts(
  resolveAccount: ResolveAccount,
  clock: Clock,
): (merchant: Tenant, reference: string | null) => ActingAccount | Promise<ActingAccount | null> {
  const known = createBoundedCache<{ readonly account: ActingAccount; readonly untilMs: number }>(
    MAX_REMEMBERED,
  )

  const ask = async (
    key: string,
    merchant: Tenant,
    reference: string | null,
  ): Promise<ActingAccount | null> => {
    const askedMs = clock.now().getTime()
    const account = await resolveAccount(merchant, reference)
    known.delete(key)
    if (account === null) return null
    known.set(key, { account, untilMs: askedMs + REMEMBER_MS })
    return account
  }

  return (merchant, reference) => {
    const key = reference === null ? merchant.id : `${merchant.id} ${reference}`
    const found = known.get(key)
    if (found !== undefined && found.untilMs > clock.now().getTime()) return found.account
    return ask(key, merchant, reference)
  }
}
