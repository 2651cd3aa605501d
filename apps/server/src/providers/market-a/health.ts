import type { Clock } from '#infra/clock'
import { newId } from '#kernel/id'
import type { Mills } from '#kernel/money'
import { mills } from '#kernel/money'
import type { MarketFeed } from '#ports/catalog'
import { describe } from '../shared/download.ts'
import { fieldsOf, millsOfDecimal, own } from '../shared/reader.ts'
import type { KeyedCalls } from './calls.ts'
import { readExportIndex } from './export.ts'
import type { MarketASettings } from './settings.ts'

const PROBE_DEADLINE_MS = 4_000

/**
 * Asks something that needs no key, because a look every second would eat half of the call budget. Our
 * balance is read once a minute, which also shows when a refused key is good again.
 */
export function createHealth({
  settings,
  calls,
  clock,
}: {
  readonly settings: MarketASettings
  readonly calls: KeyedCalls
  readonly clock: Clock
}): MarketFeed['health'] {
  let balanceMills: Mills | null = null
  let askedAtMs = Number.NEGATIVE_INFINITY

  const refreshBalance = async (): Promise<void> => {
    const nowMs = clock.now().getTime()
    if (nowMs - askedAtMs < settings.balanceMaxAgeMs) return
    askedAtMs = nowMs
    const outcome = await calls.call({
      method: 'get-money',
      urgency: 'look-up',
      patienceMs: settings.lookUpPatienceMs,
      deadlineMs: PROBE_DEADLINE_MS,
      context: { requestId: newId() },
    })
    const fields = outcome.kind === 'answer' ? fieldsOf(outcome.body) : null
    const amount = fields === null ? null : millsOfDecimal(own(fields, 'money'))
    if (amount !== null) balanceMills = mills(amount)
  }

  return async () => {
    try {
      await readExportIndex(settings.baseUrl, new AbortController().signal, PROBE_DEADLINE_MS)
    } catch (error) {
      return { online: false, balanceMills, detail: describe(error) }
    }
    await refreshBalance()
    if (calls.isKeyRefused()) return { online: false, balanceMills, detail: 'our key is refused' }
    return { online: true, balanceMills, detail: 'ok' }
  }
}
