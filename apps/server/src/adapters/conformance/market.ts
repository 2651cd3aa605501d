// The promises of the trading port, tried on an adapter against a living market.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { SendGuard } from '#infra/jobs/send-guard'
import { closedGuards, openGuard } from '#infra/testing/open-guard'
import { newId } from '#kernel/id'
import { mills } from '#kernel/money'
import type {
  CancelAnswer,
  FailureCode,
  LookUpAnswer,
  Market,
  OrderQuery,
  OrderUpdate,
  Purchase,
  PurchaseAnswer,
} from '#ports/buying'
import { placeInTurn } from '../shared/testing/place-in-turn.ts'
import { type EnvironmentListing, eventually, type MarketEnvironment } from './environment.ts'
import { type Follower, startFollower } from './follower.ts'

export interface MarketUnderTest {
  readonly market: Market
  readonly environment: MarketEnvironment
  /** The same adapter with a deadline for purchases that ends before a slow answer comes. */
  readonly impatient: Market
  /** The same adapter pointed at a closed port. */
  readonly astray: Market
}

const CONTEXT = { requestId: 'conformance', guard: openGuard }
const TERMINAL = ['completed', 'failed', 'declined', 'canceled', 'reverted'] as const

export function marketConformance(name: string, setUp: () => MarketUnderTest): void {
  describe(`${name} as a market`, { concurrency: 12 }, () => {
    let subject: Subject
    before(() => {
      subject = createSubject(setUp())
    })
    after(() => subject.follower.stop())

    registerJourneys(() => subject)
    registerRefusals(() => subject)
    registerUnknowns(() => subject)
    registerLookUps(() => subject)
  })

  // One at a time: the next cancel is the one whose answer is lost.
  describe(`${name} as a market that cancels`, { concurrency: 1 }, () => {
    let subject: Subject
    before(() => {
      subject = createSubject(setUp())
    })
    after(() => subject.follower.stop())
    registerCancels(() => subject)
  })

  describe(`${name} as a market that is switched off`, { concurrency: 1 }, () => {
    test('buys nothing, says so, and is well again afterwards', async () => {
      const { market, environment } = setUp()
      const purchase = purchaseOf(await environment.takeListing(), 'accept00')
      await environment.setOnline(false)
      try {
        const answer = await placeInTurn(market, purchase, CONTEXT)
        assert.equal(answer.kind, 'unknown')
        assert.equal((await market.lookUp([query(purchase)], CONTEXT)).kind, 'unavailable')
        assert.ok('unavailable' in (await market.balance(CONTEXT)))
      } finally {
        await environment.setOnline(true)
      }
      assert.equal(updateOf(await market.lookUp([query(purchase)], CONTEXT), purchase), 'absent')
    })

    test('reports the balance to the mill, and a purchase takes its price from it', async () => {
      const { market, environment } = setUp()
      const before = await market.balance(CONTEXT)
      assert.ok('mills' in before)
      assert.equal(Number(before.mills), await environment.balanceMills())
      const listing = await environment.takeListing()
      const answer = await placeInTurn(market, purchaseOf(listing, 'manual00'), CONTEXT)
      assert.equal(answer.kind, 'accepted')
      const now = await market.balance(CONTEXT)
      assert.ok('mills' in now)
      assert.equal(Number(before.mills - now.mills), listing.priceMills)
    })

    test('never took our key away for calling too often', async () => {
      assert.equal(await setUp().environment.isKeyRevoked(), false)
    })
  })
}

/** An order goes its way. */
function registerJourneys(subject: () => Subject): void {
  test('an accepted purchase is followed to completed, forward only', async () => {
    const { purchase, follower } = subject()
    const bought = await purchase()
    const orderId = accepted(await subject().place(bought))
    const { update, states } = await follower.follow({ ...bought, orderId }, TERMINAL)
    assert.equal(update.state, 'completed')
    assert.deepEqual(
      [...states].sort((a, b) => LADDER.indexOf(a) - LADDER.indexOf(b)),
      states,
    )
    assert.equal(update.orderId, orderId)
    assert.equal(Number(update.paidMills), bought.listing.priceMills)
    assert.deepEqual([update.failure, update.revertedBy, update.review], [null, null, false])
  })

  test('an offer that waits is active, names its offer, and then is in hold', async () => {
    const { purchase, follower, environment } = subject()
    const bought = await purchase('manual00')
    const orderId = accepted(await subject().place(bought))
    const { update } = await follower.follow({ ...bought, orderId }, ['active'])
    const [offer] = await environment.offers(bought.customId)
    assert.equal(update.offerId, offer?.offerId)
    await environment.moveOffer(offer?.offerId ?? '', 'accept')
    await follower.follow({ ...bought, orderId }, ['hold'])
  })

  for (const verb of ['decline', 'expire'] as const) {
    test(`a buyer whose offer ends by ${verb} is at fault`, async () => {
      const { purchase, follower, environment } = subject()
      const bought = await purchase('manual00')
      const orderId = accepted(await subject().place(bought))
      const ended = follower.follow({ ...bought, orderId }, TERMINAL)
      // Only what was seen before distinguishes a declined offer from one that never was.
      await follower.follow({ ...bought, orderId }, ['active'])
      const [offer] = await environment.offers(bought.customId)
      await environment.moveOffer(offer?.offerId ?? '', verb)
      const { update } = await ended
      assert.deepEqual([update.state, update.failure], ['declined', 'OFFER_NOT_ACCEPTED'])
      assert.equal(update.review, false)
    })
  }

  for (const verb of ['decline', 'expire'] as const) {
    test(`an offer that ends by ${verb} before a look-up has shown it costs its buyer nothing unless the market names it`, async () => {
      const { purchase, environment, market } = subject()
      const bought = await purchase('manual00')
      const orderId = accepted(await subject().place(bought))
      const offerId = await eventually('the offer is out', async () => {
        const [offer] = await environment.offers(bought.customId)
        return offer?.state === 'active' ? offer.offerId : null
      })
      await environment.moveOffer(offerId, verb)
      const update = updateOf(await subject().look({ ...query(bought), orderId }), bought)
      assert.ok(isUpdate(update))
      const { state, failure, review } = update
      // Market A forgets the offer with the end of the order, and names the buyer all the same.
      const expected =
        market.id === 'market_a'
          ? ['failed', 'PURCHASE_FAILED', true]
          : ['declined', 'OFFER_NOT_ACCEPTED', false]
      assert.deepEqual([state, failure, review], expected)
    })
  }

  test('an offer without an answer ends as declined', async () => {
    const { update } = await subject().journey('expire00')
    assert.deepEqual([update.state, update.failure], ['declined', 'OFFER_NOT_ACCEPTED'])
  })

  test('a seller who gives up before the offer fails the purchase', async () => {
    const { update } = await subject().journey('accept00', 'seller_cancels')
    assert.deepEqual(
      [update.state, update.failure, update.review],
      ['failed', 'PURCHASE_FAILED', false],
    )
  })

  test('a seller who takes the offer back fails the purchase', async () => {
    const { update } = await subject().journey('manual00', 'seller_cancels_offer')
    assert.deepEqual([update.state, update.failure], ['failed', 'PURCHASE_FAILED'])
  })

  for (const by of ['user', 'supplier'] as const) {
    test(`a reversal by the ${by} in the hold is attributed`, async () => {
      const { purchase, follower, environment } = subject()
      const bought = await purchase('manual00')
      const orderId = accepted(await subject().place(bought))
      const ended = follower.follow({ ...bought, orderId }, TERMINAL)
      await follower.follow({ ...bought, orderId }, ['active'])
      const [offer] = await environment.offers(bought.customId)
      await environment.moveOffer(offer?.offerId ?? '', 'accept')
      await environment.revertOffer(offer?.offerId ?? '', by)
      const { update } = await ended
      assert.deepEqual([update.state, update.revertedBy], ['reverted', by])
    })
  }
}

/** What is certainly not bought. */
function registerRefusals(subject: () => Subject): void {
  const refused = (answer: PurchaseAnswer): FailureCode | string =>
    answer.kind === 'refused' ? answer.code : `${answer.kind}: ${JSON.stringify(answer, spell)}`

  for (const [what, words, code] of [
    ['sold to another buyer', 'reject:sold_out', 'LISTING_UNAVAILABLE'],
    ['dearer now', 'reject:price_changed', 'PRICE_CHANGED'],
    ['beyond our means', 'reject:no_funds', 'MARKET_UNAVAILABLE'],
  ] as const) {
    test(`a listing that is ${what} is refused with ${code}`, async () => {
      const answer = await subject().place(await subject().purchase(), words)
      assert.equal(refused(answer), code)
      assert.equal(answer.kind === 'refused' && answer.alarm === true, words === 'reject:no_funds')
    })
  }

  for (const [token, code] of [
    ['privat00', 'TRADE_URL_INVALID'],
    ['banned00', 'STEAM_ACCOUNT_RESTRICTED'],
    ['holdup00', 'BUYER_TRADE_RESTRICTED'],
    ['short', 'TRADE_URL_INVALID'],
  ] as const) {
    test(`a recipient with the token ${token} is refused with ${code}`, async () => {
      assert.equal(refused(await subject().place(await subject().purchase(token))), code)
    })
  }

  test('a listing that is not there is unavailable', async () => {
    const purchase = await subject().purchase()
    await subject().environment.remove(purchase.rawListingId)
    assert.equal(refused(await subject().place(purchase)), 'LISTING_UNAVAILABLE')
  })

  test('nothing is bought above the ceiling', async () => {
    const purchase = await subject().purchase()
    const ceilingMills = mills(purchase.ceilingMills - 1n)
    assert.equal(refused(await subject().place({ ...purchase, ceilingMills })), 'PRICE_CHANGED')
    assert.deepEqual(await subject().environment.offers(purchase.customId), [])
    assert.equal(accepted(await subject().place(purchase)).length > 0, true)
  })

  test('nothing is bought under a guard that has lost its lease, before the call or in its last moment', async () => {
    const { market, environment } = subject()
    for (const guard of closedGuards) {
      const purchase = await subject().purchase()
      const answer = await placeInTurn(market, purchase, { ...CONTEXT, guard })
      assert.equal(answer.kind, 'not-sent')
      assert.deepEqual(await environment.offers(purchase.customId), [])
      assert.equal(updateOf(await market.lookUp([query(purchase)], CONTEXT), purchase), 'absent')
    }
  })

  test('the guard begins when the call has its turn, once', async () => {
    let begun = 0
    const guard = { ...openGuard, begin: async () => ++begun > 0 }
    accepted(await subject().place(await subject().purchase(), undefined, { guard }))
    assert.equal(begun, 1)
  })

  test('a market that cannot be reached was sent nothing', async () => {
    const { astray } = subject()
    const answer = await placeInTurn(astray, await subject().purchase(), CONTEXT)
    assert.equal(answer.kind, 'not-sent')
    assert.equal((await astray.lookUp([query({ customId: newId() })], CONTEXT)).kind, 'unavailable')
  })
}

/** What may have been bought. */
function registerUnknowns(subject: () => Subject): void {
  for (const words of [
    'lost_reply_placed',
    'success_without_id',
    'failure_with_id',
    'http_500+placed',
    '502+placed',
    'html_200+placed',
  ]) {
    test(`after "${words}" nothing is known until a look-up finds the order`, async () => {
      const bought = await subject().purchase()
      assert.equal((await subject().place(bought, words)).kind, 'unknown')
      const { update } = await subject().follower.follow({ ...bought, orderId: null }, TERMINAL)
      assert.equal(update.state, 'completed')
    })
  }

  for (const words of ['lost_reply_not_placed', 'http_500', '502', 'html_200', 'reject:unknown']) {
    test(`after "${words}" nothing is known and look-ups find nothing`, async () => {
      const bought = await subject().purchase()
      assert.equal((await subject().place(bought, words)).kind, 'unknown')
      assert.equal(updateOf(await subject().look(query(bought)), bought), 'absent')
    })
  }

  test('an answer after the deadline is no answer: the order is found by look-up', async () => {
    const bought = await subject().purchase()
    const answer = await subject().place(bought, 'slow:2000', {
      through: subject().impatient,
    })
    assert.equal(answer.kind, 'unknown')
    const { update } = await subject().follower.follow({ ...bought, orderId: null }, [
      'hold',
      'completed',
    ])
    assert.equal(Number(update.paidMills), bought.listing.priceMills)
  })

  test('an order that look-ups do not show at first is found later', async () => {
    const bought = await subject().purchase()
    await subject().place(bought, 'lost_reply_placed+lookup_blind:4')
    assert.equal(updateOf(await subject().look(query(bought)), bought), 'absent')
    await subject().follower.follow({ ...bought, orderId: null }, TERMINAL)
  })
}

function registerLookUps(subject: () => Subject): void {
  test('a full batch of unknown ids is absent, each of them', async () => {
    const { lookUpBatch } = subject().market.traits
    const queries = Array.from({ length: lookUpBatch }, () => query({ customId: newId() }))
    const answer = await subject().look(...queries)
    assert.equal(answer.kind, 'read')
    assert.ok(answer.kind === 'read')
    assert.deepEqual([...answer.orders.keys()].sort(), queries.map((q) => q.customId).sort())
    assert.deepEqual(new Set(answer.orders.values()), new Set(['absent']))
  })

  test('known and unknown orders are distinguished in one look-up', async () => {
    const bought = await subject().purchase('manual00')
    const orderId = accepted(await subject().place(bought))
    const lost = await subject().purchase('manual00')
    await subject().place(lost, 'lost_reply_placed')
    const none = { customId: newId() }
    const answer = await subject().look({ ...query(bought), orderId }, query(lost), query(none))
    assert.ok(isUpdate(updateOf(answer, bought)))
    assert.ok(isUpdate(updateOf(answer, lost)))
    assert.equal(updateOf(answer, none), 'absent')
  })

  test('a repeat under one custom id is never taken for a refusal', async () => {
    const bought = await subject().purchase('manual00')
    const orderId = accepted(await subject().place(bought))
    const again = await subject().place(bought)
    if (subject().market.traits.repeats === 'reject-duplicate') {
      assert.equal(again.kind, 'unknown')
      const update = updateOf(await subject().look(query(bought)), bought)
      assert.equal(isUpdate(update) && update.orderId, orderId)
    } else assert.notEqual(again.kind, 'not-sent')
  })
}

/** What is taken back before the seller has made the offer. */
function registerCancels(subject: () => Subject): void {
  const cancel = ({ customId }: Purchase, orderId: string) =>
    eventually('a turn to cancel', async () => {
      const answer = await subject().market.cancel({ customId, orderId, patienceMs: 3000 }, CONTEXT)
      return answer.kind === 'not-sent' ? null : answer
    })
  const because = (answer: CancelAnswer): string =>
    answer.kind === 'refused' ? answer.because : answer.kind

  test('an order is canceled from its age on, costs nothing, and is shown as canceled', async () => {
    const bought = await subject().purchase('slowly00')
    const orderId = accepted(await subject().place(bought))
    assert.equal(because(await cancel(bought, orderId)), 'too-soon')
    await eventually('the order is old enough', async () => {
      const answer = await cancel(bought, orderId)
      return because(answer) === 'too-soon' ? null : because(answer) === 'canceled'
    })
    const update = updateOf(await subject().look({ ...query(bought), orderId }), bought)
    assert.ok(isUpdate(update))
    assert.deepEqual([update.state, update.failure, update.review], ['canceled', null, false])
    assert.equal(because(await cancel(bought, orderId)), 'canceled', 'said twice it is the same')
  })

  test('nothing is canceled under a guard that has lost its lease, before the call or in its last moment', async () => {
    const { market } = subject()
    const bought = await subject().purchase('slowly00')
    const orderId = accepted(await subject().place(bought))
    const { customId } = bought
    for (const guard of closedGuards) {
      const answer = await market.cancel(
        { customId, orderId, patienceMs: 3000 },
        { ...CONTEXT, guard },
      )
      assert.equal(because(answer), 'not-sent')
    }
  })

  test('an order whose offer is out goes on', async () => {
    const bought = await subject().purchase('manual00')
    const orderId = accepted(await subject().place(bought))
    await subject().follower.follow({ ...bought, orderId }, ['active'])
    assert.equal(because(await cancel(bought, orderId)), 'offer-out')
    const update = updateOf(await subject().look({ ...query(bought), orderId }), bought)
    assert.equal(isUpdate(update) && update.state, 'active')
  })

  test('an order that does not exist is refused', async () => {
    const bought = await subject().purchase()
    assert.equal(because(await cancel(bought, '1')), 'other')
  })

  test('a cancel whose answer is lost is unknown, and its order decides', async () => {
    for (const [word, state] of [
      ['lost_cancel_not_done', 'pending'],
      ['lost_cancel_done', 'canceled'],
    ] as const) {
      const bought = await subject().purchase('slowly00')
      const orderId = accepted(await subject().place(bought))
      await eventually('the order is old enough', async () => {
        await subject().environment.script(word)
        const answer = because(await cancel(bought, orderId))
        assert.equal(answer, 'unknown')
        const update = updateOf(await subject().look({ ...query(bought), orderId }), bought)
        return isUpdate(update) && update.state === state
      })
    }
  })

  test('a market that cannot be reached was not asked to cancel', async () => {
    const answer = await subject().astray.cancel(
      { customId: newId(), orderId: '1', patienceMs: 3000 },
      CONTEXT,
    )
    assert.equal(answer.kind, 'not-sent')
  })
}

const LADDER: readonly OrderUpdate['state'][] = ['pending', 'active', 'hold', 'completed']

interface Subject extends MarketUnderTest {
  readonly follower: Follower
  purchase(token?: string): Promise<Purchase & { readonly listing: EnvironmentListing }>
  /** Scripts the market for exactly this call: no other purchase comes between. */
  place(
    purchase: Purchase,
    words?: string,
    how?: { readonly through?: Market; readonly guard?: SendGuard },
  ): Promise<PurchaseAnswer>
  look(...queries: readonly OrderQuery[]): Promise<LookUpAnswer>
  journey(token: string, words?: string): ReturnType<Follower['follow']>
}

function createSubject(under: MarketUnderTest): Subject {
  const { market, environment } = under
  const follower = startFollower(market)
  let queue: Promise<unknown> = Promise.resolve()

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work)
    queue = result.catch(() => {})
    return result
  }
  const purchase: Subject['purchase'] = async (token = 'accept00') => {
    const listing = await environment.takeListing()
    return { ...purchaseOf(listing, token), listing }
  }
  const place: Subject['place'] = (wanted, words, { through = market, guard = openGuard } = {}) =>
    inTurn(async () => {
      if (words !== undefined) await environment.script(words)
      // A call without its turn was not sent: it may be made again, as a worker would.
      return eventually('a turn to buy', async () => {
        const answer = await placeInTurn(through, wanted, { ...CONTEXT, guard })
        return answer.kind === 'not-sent' ? null : answer
      })
    })
  return {
    ...under,
    follower,
    purchase,
    place,
    look: (...queries) =>
      eventually('a look-up', async () => {
        const answer = await market.lookUp(queries, CONTEXT)
        return answer.kind === 'read' ? answer : null
      }),
    async journey(token, words) {
      const bought = await purchase(token)
      const orderId = accepted(await place(bought, words))
      return follower.follow({ ...bought, orderId }, TERMINAL)
    },
  }
}

let partners = 1_000

const purchaseOf = (listing: EnvironmentListing, token: string): Purchase => ({
  customId: newId(),
  rawListingId: listing.id,
  marketHashName: listing.marketHashName,
  ceilingMills: mills(BigInt(listing.priceMills)),
  partner: ++partners,
  token,
})

const query = ({ customId }: { readonly customId: string }): OrderQuery => ({
  customId,
  orderId: null,
  offerSeen: false,
  acceptanceSeen: false,
})

function accepted(answer: PurchaseAnswer): string {
  assert.equal(answer.kind, 'accepted', JSON.stringify(answer, spell))
  return answer.kind === 'accepted' ? answer.orderId : ''
}

const updateOf = (answer: LookUpAnswer, { customId }: { readonly customId: string }) =>
  answer.kind === 'read' ? answer.orders.get(customId) : answer.detail

const isUpdate = (update: ReturnType<typeof updateOf>): update is OrderUpdate =>
  typeof update === 'object'

const spell = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value
