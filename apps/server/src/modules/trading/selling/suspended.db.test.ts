// Workers that are suspended around the send of an offer: what others concluded meanwhile stands.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Db, Statement } from '#infra/database/db'
import { createLostOfferWatch } from './follow.ts'
import { createSellPlacing } from './place.ts'
import {
  follow as followIn,
  following,
  givenSell as givenSellIn,
  MINUTE,
  place as placeIn,
  placing,
  SECOND,
  sellingEnvironment,
} from './testing/environment.ts'

const environment = sellingEnvironment()
const place = () => placeIn(environment)
const follow = () => followIn(environment)
const givenSell = () => givenSellIn(environment)

/** Scans prove that the offer does not exist: its items fail. */
async function concludeAbsent(): Promise<void> {
  for (const seconds of [31, 61]) {
    environment.clock.advance(seconds * SECOND)
    await follow()
  }
}

/** A gate at which a worker stands suspended until it is opened. */
function aGate() {
  let open = (): void => {}
  let reach = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const pass = (): Promise<void> => {
    reach()
    return opened
  }
  return { pass, open, reached }
}

describe('a worker that is suspended before it sends an offer', () => {
  for (const moment of ['beforeTurn', 'afterTurn'] as const) {
    it(`(${moment}) sends nothing for items that have failed meanwhile`, async () => {
      const sell = await givenSell()
      const gate = aGate()
      environment.platform[moment] = gate.pass
      const suspended = place()
      await gate.reached
      await concludeAbsent()
      assert.equal(await sell.status(), 'failed')
      gate.open()
      await suspended
      assert.equal(environment.platform.sent.length, 0)
      assert.deepEqual([await sell.status(), environment.cases.length], ['failed', 0])
    })
  }
})

describe('a worker that is suspended before it changes an offer that is out', () => {
  const changes = [
    ['cancels', 'canceled', () => environment.clock.advance(31 * MINUTE)],
    [
      'confirms',
      'confirmed',
      (asset: string) => environment.platform.report(asset, 'needs_confirmation'),
    ],
  ] as const
  for (const [what, done, prepare] of changes) {
    for (const moment of ['beforeTurn', 'afterTurn'] as const) {
      it(`(${moment}) ${what} nothing that another has taken over`, async () => {
        const { asset } = await givenSell()
        await place()
        environment.clock.advance(2 * SECOND)
        prepare(asset)
        const gate = aGate()
        environment.platform[moment] = gate.pass
        const suspended = follow()
        await gate.reached
        delete environment.platform[moment]
        environment.clock.advance(31 * SECOND)
        await follow()
        assert.equal(environment.platform[done].length, 1)
        gate.open()
        await suspended
        assert.equal(environment.platform[done].length, 1)
      })
    }
  }
})

describe('an offer whose answer comes after its items have failed', () => {
  it('is canceled and reported at once, and the watch knows of it', async () => {
    const sell = await givenSell()
    environment.platform.onSend = async () => {
      environment.platform.onSend = null
      const [offer] = environment.platform.offers.values()
      assert.ok(offer)
      environment.platform.offers.clear()
      await concludeAbsent()
      environment.platform.offers.set(offer.offerId, offer)
    }
    await place()
    assert.equal(await sell.status(), 'failed')
    const [offer] = environment.platform.offers.values()
    assert.deepEqual(environment.platform.canceled, [offer?.offerId])
    await createLostOfferWatch(following(environment))()
    assert.deepEqual(
      environment.cases.map(({ what }) => what),
      ['orphan_offer'],
    )
  })
})

describe('an offer whose absence was asked about before the settle time was over', () => {
  it('is not given up, however late the answer is read', async () => {
    const { platform, clock } = environment
    const sell = await givenSell()
    platform.answers.push('lost')
    await place()
    const [offer] = platform.offers.values()
    assert.ok(offer)
    platform.offers.clear()
    clock.advance(2 * SECOND)
    await follow()
    clock.advance(2 * SECOND)
    const { findOffer } = platform
    platform.findOffer = async (...asked) => {
      platform.findOffer = findOffer
      const answer = await findOffer(...asked)
      platform.offers.set(offer.offerId, offer)
      clock.advance(61 * SECOND)
      return answer
    }
    await follow()
    assert.equal(await sell.status(), 'pending')
    clock.advance(2 * SECOND)
    await follow()
    assert.equal(await sell.status(), 'active')
  })
})

describe('items that no bot could take in time', () => {
  it('are not failed when a bot was given them after they were listed', async () => {
    const sell = await givenSell()
    environment.clock.advance(16 * MINUTE)
    const { db } = environment.database
    const another = createSellPlacing({ ...placing(environment), giveUpMs: 60 * MINUTE })
    let isGiven = false
    const slow: Db = {
      ...db,
      query: async <Row>(statement: Statement, values?: readonly unknown[]) => {
        const rows = await db.query<Row>(statement, values)
        if (statement.name === 'selling.list_overdue' && !isGiven) {
          isGiven = true
          await db.query({ name: 'test.age', text: 'update selling.sell set due_at = created_at' })
          await another(new AbortController().signal).catch(() => {})
        }
        return rows
      },
    }
    await createSellPlacing({ ...placing(environment), db: slow })(new AbortController().signal)
    assert.equal(isGiven, true)
    assert.equal(await sell.status(), 'active')
  })
})
