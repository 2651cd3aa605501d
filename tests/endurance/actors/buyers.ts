// Sub-users with money, who buy from both markets until they are stopped.
import { MARKETS, type Sandbox } from '../../support/sandbox.ts'
import { aBuyer, PARTNER } from '../../support/trading.ts'
import type { Dice } from '../dice.ts'
import { answerAll } from '../judge/requests.ts'
import type { Installation } from '../worlds/installation.ts'
import { HABITS, type Habits, startTraffic, type Traffic } from './traffic.ts'

const BUYERS = 10
const BUYING: Habits = {
  ...HABITS,
  ...{ clients: 8, meanPauseMs: 1200, deadlineMs: 6000 },
  ...{ actions: ['buy'], itemsOfABuy: [1], contestedShare: 0.1 },
  // Most accept; the rest make every kind of end.
  buyTokens: [...Array<string>(8).fill('accept00'), 'declin00', 'rvsupp00', 'rvuser00', 'banned00'],
}

export interface BuyersOptions {
  readonly throwDice: Dice
  /** The supplier takes its time, so that a fault finds calls under way. */
  readonly latencyMs: number
  readonly deadlineMs?: number
}

export async function startBuyers(
  installation: Installation,
  { throwDice, latencyMs, deadlineMs = BUYING.deadlineMs }: BuyersOptions,
): Promise<Traffic> {
  const { merchant, sandbox } = installation
  const users = Array.from({ length: BUYERS }, (_, i) => ({
    name: `buyer-${i}`,
    partner: PARTNER,
  }))
  await Promise.all(users.map(({ name }) => aBuyer(merchant, name, '9000.00')))
  await setLatency(sandbox, latencyMs)
  const supplies = await Promise.all(
    MARKETS.map(async (market) =>
      (await sandbox.control.listings(market, 1000))
        .filter(({ priceMills }) => priceMills >= 50 && priceMills <= 25_000)
        .map(({ id }) => `${market}:${id}`),
    ),
  )
  // By turns, so that both markets have work at every moment.
  const inTurn = (supplies[0] ?? []).flatMap((id, i) => [id, supplies[1]?.[i] ?? id])
  return startTraffic(installation, users, {
    ...{ throwDice, habits: { ...BUYING, deadlineMs }, listingRawIds: [...new Set(inTurn)] },
  })
}

/** After the faults: every request without a known outcome is sent again under its own external id. */
export async function answerOpenRequests(
  { sandbox }: Pick<Installation, 'sandbox'>,
  traffic: Traffic,
): Promise<void> {
  await setLatency(sandbox, 0)
  await answerAll(traffic)
}

export const setLatency = ({ control }: Pick<Sandbox, 'control'>, latencyMs: number) =>
  Promise.all(MARKETS.map((market) => control.setMarket(market, { latencyMs })))
