import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import type { Mills } from '#kernel/money'
import type { AccountReading, MarketFeed } from '#ports/catalog'
import { type AccountAccess, readingOf } from '../shared/account-access.ts'
import { describe, discard, download } from '../shared/download.ts'
import type { Supplier } from '../shared/market-definition.ts'
import type { Calls } from './calls.ts'
import { balanceOf } from './market.ts'
import type { MarketBSettings } from './settings.ts'

const PROBE_DEADLINE_MS = 4_000
const PROBE_MAX_BYTES = 64 * 1024

type Health = Awaited<ReturnType<MarketFeed['health']>>

/**
 * Asks for prices in a range where there are none: needs no key, costs the market nothing and has a
 * budget of its own, so that looking often takes nothing from purchases.
 */
export function createHealth({
  settings,
  calls,
  access,
  clock,
}: {
  readonly settings: MarketBSettings
  readonly calls: Calls
  readonly access: AccountAccess
  readonly clock: Clock
}): Pick<MarketFeed, 'health'> & Pick<Supplier, 'readAccount'> {
  let latest: { readonly atMs: number; readonly health: Health } | null = null
  let balanceMills: Mills | null = null
  let reading: AccountReading | null = null
  let askedAtMs = Number.NEGATIVE_INFINITY

  const refreshBalance = async (nowMs: number): Promise<void> => {
    if (nowMs - askedAtMs < settings.balanceMaxAgeMs) return
    askedAtMs = nowMs
    const askedAt = new Date(nowMs)
    const outcome = await calls({
      path: '/v1/user',
      budget: 'account',
      deadlineMs: PROBE_DEADLINE_MS,
      context: { requestId: newId() },
    })
    const balance = balanceOf(outcome)
    if (!('mills' in balance)) return
    balanceMills = balance.mills
    // All its amounts are in dollars.
    reading = { askedAt, said: { kind: 'served', balanceMills, currency: 'USD' } }
  }

  const readAccount = async (): Promise<AccountReading | null> => {
    await refreshBalance(clock.now().getTime())
    return readingOf(access, reading, clock)
  }

  const health = async (): Promise<Health> => {
    const nowMs = clock.now().getTime()
    if (latest !== null && nowMs - latest.atMs < settings.probeSpacingMs) return latest.health
    const trouble = await probe(settings.baseUrl)
    if (trouble === null) await refreshBalance(nowMs)
    const account = readingOf(access, reading, clock)
    const seen = { online: trouble === null, balanceMills, account, detail: trouble ?? 'ok' }
    latest = { atMs: nowMs, health: seen }
    return latest.health
  }

  return { health, readAccount }
}

/** Null when the market answers; a request to wait is an answer too. */
async function probe(baseUrl: string): Promise<string | null> {
  const answer = await download({
    url: `${baseUrl}/v1/prices?game=csgo&minified=1&min_price=999999999998&max_price=999999999999`,
    deadlineMs: PROBE_DEADLINE_MS,
    maxBytes: PROBE_MAX_BYTES,
  })
  if (answer.kind === 'failed') return answer.detail
  if (answer.status === 429) {
    await discard(answer)
    return null
  }
  if (answer.status !== 200) {
    await discard(answer)
    return `status ${answer.status}`
  }
  return readProbe(answer.chunks)
}

async function readProbe(chunks: AsyncIterable<string>): Promise<string | null> {
  try {
    let text = ''
    for await (const chunk of chunks) text += chunk
    return text.trimStart().startsWith('{') ? null : 'not JSON'
  } catch (error) {
    return describe(error)
  }
}
