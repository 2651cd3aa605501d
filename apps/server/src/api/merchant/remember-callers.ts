// Who calls, remembered for a moment. Only for reads of the market, which take nothing from a caller but
// its currency and its fees: without the question to the database a suggestion costs the process 35 µs
// instead of 74. Everything else asks every time, so that a suspension or a new trade URL holds from the
// next request on.
import type { Clock } from '#infra/clock'
import { createBoundedCache } from '#infra/memo'
import type { MerchantCaller } from '../shared/operation.ts'
import type { ResolveCaller, ResolvedCaller } from '../shared/ports.ts'

/** New fees, and the end of a deleted sub-user, show in the market's prices this late at most. */
const REMEMBER_MS = 1000
const MAX_REMEMBERED = 10_000

export function rememberCallers(
  resolveCaller: ResolveCaller,
  clock: Clock,
): (
  merchant: MerchantCaller,
  reference: string | null,
) => ResolvedCaller | Promise<ResolvedCaller | null> {
  const known = createBoundedCache<{
    readonly caller: ResolvedCaller
    readonly untilMs: number
  }>(MAX_REMEMBERED)

  const ask = async (
    key: string,
    merchant: MerchantCaller,
    reference: string | null,
  ): Promise<ResolvedCaller | null> => {
    const askedMs = clock.now().getTime()
    const caller = await resolveCaller(merchant, reference)
    known.delete(key)
    if (caller === null) return null
    known.set(key, { caller, untilMs: askedMs + REMEMBER_MS })
    return caller
  }

  return (merchant, reference) => {
    const key = reference === null ? merchant.id : `${merchant.id} ${reference}`
    const found = known.get(key)
    if (found !== undefined && found.untilMs > clock.now().getTime()) return found.caller
    return ask(key, merchant, reference)
  }
}
