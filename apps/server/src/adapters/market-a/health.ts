import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import type { Mills } from '#kernel/money'
import type { MarketFeed } from '#ports/catalog'
import { type AccountAccess, readingOf } from '../shared/account-access.ts'
import { describe } from '../shared/download.ts'
import type { Supplier } from '../shared/market-definition.ts'
import type { Account } from './account.ts'
import { readExportIndex } from './export.ts'
import type { MarketASettings } from './settings.ts'

const PROBE_DEADLINE_MS = 4_000

type Health = Pick<MarketFeed, 'health'> & Pick<Supplier, 'readAccount'>

/**
 * Asks something that needs no key, because a look every second would eat half of the call budget. Our
 * balance is read once a minute, which also shows when a refused key is good again.
 */
export function createHealth({
  settings,
  account,
  access,
  clock,
}: {
  readonly settings: MarketASettings
  readonly account: Account
  readonly access: AccountAccess
  readonly clock: Clock
}): Health {
  let balanceMills: Mills | null = null
  let settlingMills: Mills | null = null
  let askedAtMs = Number.NEGATIVE_INFINITY

  const refreshBalance = async (): Promise<void> => {
    const nowMs = clock.now().getTime()
    if (nowMs - askedAtMs < settings.balanceMaxAgeMs) return
    askedAtMs = nowMs
    const balance = await account.readBalance({ requestId: newId() }, PROBE_DEADLINE_MS)
    if (!('mills' in balance)) return
    balanceMills = balance.mills
    settlingMills = balance.settlingMills
  }

  const seen = (online: boolean, detail: string) => ({
    ...{ online, balanceMills, settlingMills, detail },
    account: readingOf(access, account.latest(), clock),
  })

  const readAccount: Health['readAccount'] = async () => {
    await refreshBalance()
    return readingOf(access, account.latest(), clock)
  }

  const health: Health['health'] = async () => {
    try {
      await readExportIndex(settings.baseUrl, new AbortController().signal, PROBE_DEADLINE_MS)
    } catch (error) {
      return seen(false, describe(error))
    }
    await refreshBalance()
    return seen(true, 'ok')
  }

  return { health, readAccount }
}
