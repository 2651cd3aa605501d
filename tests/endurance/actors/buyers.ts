// The buyers of a fault test: sub-users with money, who buy from both markets until they are stopped.
import { MARKETS } from '../../support/sandbox.ts'
import { aBuyer } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import type { Installation } from '../worlds/installation.ts'
import { type Load, startLoad, type TrackedRequest } from './load.ts'

const BUYERS = 10

export interface BuyersOptions {
  readonly throwDice: () => number
  /** The supplier takes its time, so that a fault finds calls under way. */
  readonly latencyMs: number
  readonly deadlineMs?: number
}

export async function startBuyers(
  { merchant, sandbox, apis }: Installation,
  { throwDice, latencyMs, deadlineMs }: BuyersOptions,
): Promise<Load> {
  const names = Array.from({ length: BUYERS }, (_, i) => `buyer-${i}`)
  await Promise.all(names.map((name) => aBuyer(merchant, name, '9000.00')))
  for (const market of MARKETS) await sandbox.control.setMarket(market, { latencyMs })
  const supplies = await Promise.all(
    MARKETS.map(async (market) =>
      (await sandbox.control.listings(market, 1000))
        .filter(({ priceMills }) => priceMills >= 50 && priceMills <= 25_000)
        .map(({ id }) => `${market}:${id}`),
    ),
  )
  // By turns, so that both markets have work at every moment.
  const listings = (supplies[0] ?? []).flatMap((id, i) => [id, supplies[1]?.[i] ?? id])
  return startLoad({
    apiKey: merchant.apiKey,
    baseUrls: apis.baseUrls(),
    buyers: names,
    listings: [...new Set(listings)],
    throwDice,
    ...(deadlineMs !== undefined && { deadlineMs }),
  })
}

/** After the faults: every request with an unknown outcome is sent again under its own external id. */
export async function answerOpenRequests({ sandbox }: Installation, load: Load): Promise<void> {
  for (const market of MARKETS) await sandbox.control.setMarket(market, { latencyMs: 0 })
  const isOpen = ({ outcome }: TrackedRequest): boolean =>
    outcome === 'unknown' || outcome === 'unsent'
  for (const request of load.requests.filter(isOpen)) {
    await until(`${request.externalId} is answered`, async () => {
      await load.send(request)
      return !isOpen(request)
    })
  }
}
