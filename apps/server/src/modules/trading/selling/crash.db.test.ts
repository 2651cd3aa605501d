// A worker is killed at each of its steps in turn, before and after it: whatever was half done is found by
// the next one, nothing is sent twice, and no seller is paid twice or for nothing.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Db } from '#infra/database/db'
import { createSellFollowing } from './follow.ts'
import { createSellPlacing } from './place.ts'
import type { Bots } from './ports.ts'
import {
  following,
  givenSell,
  HOLD_MS,
  placing,
  SECOND,
  type SellingEnvironment,
  sellingEnvironment,
} from './testing/environment.ts'

const environment = sellingEnvironment()

interface Plan {
  /** The step at which the process dies: a statement, a transaction, or a call of the platform. */
  left: number
  readonly when: 'before' | 'after'
}

class Killed extends Error {}

/** The same methods, of which one, when its turn has come, is the last thing that the process does. */
function mortal<Methods extends object>(
  target: Methods,
  names: (keyof Methods)[],
  plan: Plan,
): Methods {
  const copy = { ...target }
  for (const name of names) {
    const method = target[name] as (...values: unknown[]) => Promise<unknown>
    const replaced = async (...values: unknown[]): Promise<unknown> => {
      plan.left--
      if (plan.left === 0 && plan.when === 'before') throw new Killed()
      const answer = await method(...values)
      if (plan.left === 0) throw new Killed()
      return answer
    }
    copy[name] = replaced as Methods[typeof name]
  }
  return copy
}

const BOTS: (keyof Bots)[] = [
  'list',
  'sendOffer',
  'findOffer',
  'lookUp',
  'confirmOffer',
  'cancelOffer',
  'readExchange',
]

/** One worker from its start: what it does until it dies or has nothing to do. */
async function aWorker(
  { database, platform, clock, ...rest }: SellingEnvironment,
  plan: Plan,
): Promise<void> {
  const db: Db = mortal(database.db, ['query', 'transaction'], plan)
  const bots: Bots = mortal<Bots>(platform, BOTS, plan)
  const all = { database, platform, clock, ...rest }
  try {
    await createSellPlacing({ ...placing(all), db, bots })(new AbortController().signal)
    await createSellFollowing({ ...following(all), db, bots })()
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  }
}

type Move = 'accepts' | 'declines' | 'accepts and reverses'

/** The user answers as soon as there is something to answer. */
function answer({ platform }: SellingEnvironment, asset: string, move: Move): void {
  const offer = [...platform.offers.values()].find(
    ({ assets, state }) => state === 'active' && assets.some(({ assetId }) => assetId === asset),
  )
  if (!offer) return
  if (move === 'declines') platform.report(asset, 'declined')
  else platform.accept(asset)
  if (move === 'accepts and reverses') platform.revert(asset)
}

const ENDS: Readonly<Record<Move, { status: string; wallet: bigint; events: string }>> = {
  accepts: {
    status: 'completed',
    wallet: 1568n,
    events: 'initiated pending active hold completed settled',
  },
  declines: { status: 'declined', wallet: 0n, events: 'initiated pending active declined' },
  'accepts and reverses': {
    status: 'reverted',
    wallet: 0n,
    events: 'initiated pending active hold reverted',
  },
}

for (const move of Object.keys(ENDS) as Move[]) {
  for (const when of ['before', 'after'] as const) {
    describe(`a user who ${move}`, () => {
      it(`and a worker that dies ${when} each of its steps`, async () => {
        for (let step = 1; ; step++) {
          const sell = await givenSell(environment, 2)
          const plan: Plan = { left: step, when }
          for (let round = 0; round < 6; round++) {
            await aWorker(environment, plan)
            answer(environment, sell.asset, move)
            environment.clock.advance(61 * SECOND)
          }
          environment.clock.advance(HOLD_MS)
          for (let round = 0; round < 4; round++) {
            await aWorker(environment, plan)
            environment.clock.advance(61 * SECOND)
          }
          const sent = environment.platform.sent.filter(
            ({ take }) => take[0]?.assetId === sell.asset,
          )
          const events = (await sell.events()).map((type) => type.replace('trade.', '')).join(' ')
          const end = { status: await sell.status(), wallet: await sell.wallet(), events }
          const about = `killed ${when} step ${step}: ${end.status}, ${end.wallet}, ${end.events}`
          if (sent.length === 0) {
            // It died with the intent written and the offer not sent: that is all it may have cost.
            const nothing = { status: 'failed', wallet: 0n, events: 'initiated pending failed' }
            assert.deepEqual(end, nothing, about)
          } else {
            assert.equal(sent.length, 1, about)
            assert.deepEqual(end, ENDS[move], about)
          }
          if (plan.left > 0) {
            assert.ok(step > 20, `only ${step} steps were tried`)
            break
          }
        }
      })
    })
  }
}
