import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { silentLog } from '#infra/process/log'
import { newId } from '#kernel/id'
import {
  follow as followIn,
  givenSell,
  HOLD_MS,
  HOUR,
  MINUTE,
  place as placeIn,
  SECOND,
  sellingEnvironment,
} from '../selling/testing/environment.ts'
import { createOfferReconciling } from './reconcile-offers.ts'
import { createReporter } from './report.ts'
import { listCases } from './store/cases.ts'

const SETTLE_MS = 15 * MINUTE
const BOT = '76561190000000001'

const environment = sellingEnvironment()
let look: (lengthMs?: number) => Promise<void>

beforeEach(() => {
  const { database, clock, platform } = environment
  const report = createReporter({ db: database.db, clock, source: 'statement', onOpened: () => {} })
  const reconcile = createOfferReconciling({
    ...{ db: database.db, clock, bots: platform, settleMs: SETTLE_MS, report, log: silentLog },
  })
  look = async (lengthMs = 9 * 24 * HOUR) => {
    await reconcile(lengthMs)
  }
})
afterEach(async () => {
  const { db } = environment.database
  await db.query(sql('test.forget_offer_entries', 'delete from reconciliation.case_entry'))
  await db.query(sql('test.forget_offer_cases', 'delete from reconciliation.case_file'))
})

const openCases = () =>
  listCases(environment.database.db, { state: 'open', kind: null, limit: 100 })
const kinds = async (): Promise<string[]> => (await openCases()).map(({ kind }) => kind).sort()
const step = async (milliseconds: number): Promise<void> => {
  environment.clock.advance(milliseconds)
  await followIn(environment)
}
const offerOf = (assetId: string) => {
  const offer = [...environment.platform.offers.values()].find(({ assets }) =>
    assets.some((asset) => asset.assetId === assetId),
  )
  assert.ok(offer)
  return offer
}

async function givenOut() {
  const sell = await givenSell(environment)
  await placeIn(environment)
  assert.equal(await sell.status(), 'active')
  return sell
}
async function givenHeld() {
  const sell = await givenOut()
  environment.platform.accept(sell.asset)
  await step(SECOND)
  assert.equal(await sell.status(), 'hold')
  return sell
}
async function givenCompleted() {
  const sell = await givenHeld()
  await step(HOLD_MS)
  assert.equal(await sell.status(), 'completed')
  return sell
}

describe('a bot whose list agrees with us', () => {
  it('opens no case, whatever state its offers are in', async () => {
    await givenOut()
    await givenHeld()
    const declined = await givenOut()
    environment.platform.report(declined.asset, 'declined')
    await step(SECOND)
    await look()
    await step(SETTLE_MS)
    await look()
    await givenCompleted()
    environment.clock.advance(SETTLE_MS)
    await look()
    assert.deepEqual(await kinds(), [])
  })

  it('opens none for an offer whose answer is still under way', async () => {
    const sell = await givenSell(environment)
    environment.platform.onSend = () => look()
    await placeIn(environment)
    assert.equal(await sell.status(), 'active')
    assert.deepEqual(await kinds(), [])
  })

  it('opens none for an acceptance that was not followed yet', async () => {
    const sell = await givenOut()
    environment.platform.accept(sell.asset)
    environment.clock.advance(HOUR)
    await look()
    assert.deepEqual(await kinds(), [])
  })
})

describe('an offer that no sell stands behind', () => {
  const strange = (overrides: object = {}) => {
    const offerId = String(environment.platform.offers.size + 7_000_000)
    environment.platform.offers.set(offerId, {
      offerId,
      offerIntentId: newId(),
      botId: BOT,
      state: 'active',
      canceledBy: null,
      tradeId: null,
      assets: [{ assetId: '424242', contextId: '2' }],
      updatedAt: environment.clock.now(),
      ...overrides,
    })
    return offerId
  }

  it('is unmatched at once, and cleared when it has come to nothing', async () => {
    const offerId = strange()
    await look()
    const [found] = await openCases()
    assert.equal(found?.kind, 'orphan_offer')
    assert.equal(found?.subject, `offer:${BOT}:${offerId}`)
    assert.equal(found?.details.state, 'active')
    environment.platform.report('424242', 'canceled')
    await look()
    assert.ok((await openCases())[0]?.clearedAt)
  })

  it('is no case when it came to nothing before', async () => {
    strange({ state: 'declined' })
    await look()
    assert.deepEqual(await kinds(), [])
  })

  it('is one, too, when it carries the offer intent id of another', async () => {
    const sell = await givenOut()
    const offerId = strange({ offerIntentId: offerOf(sell.asset).offerIntentId })
    await look()
    assert.deepEqual(
      (await openCases()).map(({ subject }) => subject),
      [`offer:${BOT}:${offerId}`],
    )
  })

  it('is one when its sell was given up as never sent', async () => {
    const sell = await givenSell(environment)
    environment.platform.answers.push('lost-unsent')
    await placeIn(environment)
    for (let round = 0; round < 4; round += 1) await step(MINUTE)
    assert.equal(await sell.status(), 'failed')
    const sent = await environment.database.db.query<{ id: string }>(
      sql('test.tag_of', 'select id from selling.offer where trade_id = $1'),
      [sell.receipt.tradeId],
    )
    strange({ offerIntentId: sent[0]?.id })
    environment.clock.advance(48 * HOUR)
    await look()
    const [found] = await openCases()
    assert.equal(found?.kind, 'orphan_offer')
    assert.equal(found?.itemId, (await sell.trade()).items[0]?.id)
  })
})

describe('an offer that the platform does not list', () => {
  it('is missing when two whole lists and a look-up lack it, and not before it could be there', async () => {
    const sell = await givenOut()
    environment.platform.hidden.add(offerOf(sell.asset).offerId)
    await look()
    await look()
    assert.deepEqual(await kinds(), [], 'it was sent a moment ago')
    environment.clock.advance(SETTLE_MS)
    await look()
    assert.deepEqual(await kinds(), [], 'one list proves nothing')
    await look()
    assert.deepEqual(await kinds(), ['missing'])
    environment.platform.hidden.clear()
    await look()
    assert.ok((await openCases())[0]?.clearedAt)
  })

  it('is not missing in a list that is not whole, nor while the platform is away', async () => {
    const sell = await givenOut()
    environment.platform.hidden.add(offerOf(sell.asset).offerId)
    environment.clock.advance(SETTLE_MS)
    environment.platform.isListWhole = false
    await look()
    await look()
    environment.platform.online = false
    await look()
    assert.deepEqual(await kinds(), [])
  })
})

describe('an offer that moved something else', () => {
  it('differs when it asks for other assets than our items', async () => {
    const sell = await givenOut()
    environment.platform.report(sell.asset, 'active', {
      assets: [{ assetId: '1', contextId: '2' }],
    })
    await look()
    const [found] = await openCases()
    assert.equal(found?.kind, 'sell_differs')
    assert.deepEqual(found?.details.received, ['1'])
  })

  it('differs when the bot got another asset than we recorded', async () => {
    const sell = await givenHeld()
    const exchangeId = `x${offerOf(sell.asset).offerId}`
    const seen = environment.platform.exchanges.get(exchangeId)
    assert.ok(seen)
    const received = seen.received.map((asset) => ({ ...asset, newAssetId: '5' }))
    environment.platform.exchanges.set(exchangeId, { ...seen, received })
    environment.clock.advance(SETTLE_MS)
    await look()
    assert.deepEqual(await kinds(), ['sell_differs'])
    environment.platform.exchanges.set(exchangeId, seen)
    await look()
    assert.ok((await openCases())[0]?.clearedAt)
  })
})

describe('what the platform says after the end', () => {
  it('is a late contradiction when a paid exchange was taken back, and changes nothing', async () => {
    const sell = await givenCompleted()
    const paid = await sell.wallet()
    environment.platform.revert(sell.asset)
    await look()
    assert.deepEqual(await kinds(), [], 'what was written a moment ago contradicts nothing')
    environment.clock.advance(SETTLE_MS)
    await look()
    const [found] = await openCases()
    assert.equal(found?.kind, 'late_contradiction')
    assert.deepEqual([found?.details.status, found?.details.platform], ['completed', 'reverted'])
    assert.equal(await sell.status(), 'completed')
    assert.equal(await sell.wallet(), paid)
  })

  it('is one when an offer that we ended was accepted', async () => {
    const sell = await givenOut()
    environment.platform.report(sell.asset, 'declined')
    await step(SECOND)
    assert.equal(await sell.status(), 'declined')
    environment.platform.accept(sell.asset)
    await look()
    assert.deepEqual(await kinds(), [])
    environment.clock.advance(SETTLE_MS)
    await look()
    const [found] = await openCases()
    assert.deepEqual(
      [found?.kind, found?.details.status, found?.details.platform],
      ['late_contradiction', 'declined', 'complete'],
    )
  })

  it('is one when an offer whose items we hold was declined', async () => {
    const sell = await givenHeld()
    environment.platform.report(sell.asset, 'declined')
    environment.clock.advance(SETTLE_MS)
    await look()
    assert.deepEqual(await kinds(), ['late_contradiction'])
  })

  it('is none for a reversal in the hold: the follower looks at once and books it', async () => {
    const sell = await givenHeld()
    environment.platform.revert(sell.asset)
    environment.clock.advance(SETTLE_MS)
    await look()
    await step(SECOND)
    assert.equal(await sell.status(), 'reverted')
    assert.deepEqual(environment.cases, [])
    environment.clock.advance(SETTLE_MS)
    await look()
    assert.deepEqual(await kinds(), [])
  })

  it('is one for a reversal that no follower books, and cleared when one does', async () => {
    const sell = await givenHeld()
    environment.platform.revert(sell.asset)
    environment.clock.advance(SETTLE_MS)
    await look()
    await look()
    assert.deepEqual(await kinds(), ['reversal_seen'])
    await step(SECOND)
    assert.equal(await sell.status(), 'reverted')
    environment.clock.advance(SETTLE_MS)
    await look()
    const [found] = await openCases()
    assert.ok(found?.clearedAt)
  })
})
