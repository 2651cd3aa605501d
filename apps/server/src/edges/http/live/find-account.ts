// The account of a token that may still be used, with its price tag.
import { createRateReader } from '#fx'
import { type createCallerFinder, createKeyChecker, createTokenAuthorizer } from '#identity'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { sessionReadsAccount } from '#people'
import { createPriceTag, effectiveFees } from '#pricing'
import type { LiveDeps } from './live.ts'

export function createFindAccount({
  db,
  clock,
  findCaller,
  globalDefaultFeeBps,
}: {
  readonly db: Db
  readonly clock: Clock
  readonly findCaller: ReturnType<typeof createCallerFinder>
  readonly globalDefaultFeeBps: () => Promise<number>
}): LiveDeps['findAccount'] {
  const currentRate = createRateReader({ db, clock })
  const authorize = createTokenAuthorizer({
    findCaller,
    isGoodKey: createKeyChecker({ db, clock }),
    isGoodSession: (session) => sessionReadsAccount(db, { ...session, at: clock.now() }),
  })
  return async (token) => {
    const [account, defaultBps] = await Promise.all([authorize(token), globalDefaultFeeBps()])
    if (account === null) return null
    const { currency } = account
    const { houseFeeBps, merchantBuyFeeBps } = effectiveFees(account, defaultBps)
    const terms = { currency, houseFeeBps, merchantFeeBps: merchantBuyFeeBps }
    const rate = currency === 'EUR' ? (await currentRate()).usdPerEurMicros : null
    return { id: account.id, tag: createPriceTag(terms, rate) }
  }
}
