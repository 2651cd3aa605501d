// The promises of selling's port where the platform says nothing, or not enough.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewOffer, OfferSnapshot, Outcome } from '#ports/selling'
import {
  type BotsUnderTest,
  CONTEXT,
  freshList,
  offerTo,
  okOf,
  send,
  tradeOf,
  until,
} from './bots-under-test.ts'
import { eventually } from './environment.ts'

export function registerUnknowns(setUp: () => BotsUnderTest): void {
  const find = (offer: NewOffer, since: Date): Promise<Outcome<OfferSnapshot | null>> =>
    setUp().bots.findOffer({ ...offer, since }, CONTEXT)

  for (const word of ['lost_reply_placed', 'http_500+placed']) {
    test(`after ${word} the send is unknown, and its offer is found by offer intent id and items`, async () => {
      const { bots, environment } = setUp()
      const offer = await offerTo(setUp(), { token: 'manual00' })
      const since = new Date()
      await environment.script(word)
      assert.equal((await bots.sendOffer(offer, CONTEXT)).kind, 'unknown')
      const found = okOf(await find(offer, since))
      assert.equal(found?.state, 'active')
      assert.equal((await environment.offersWith(offer.offerIntentId)).length, 1)
      // With other items it is not this offer: neither found nor absent.
      const take = [{ assetId: '1', contextId: '2' }] as const
      assert.equal((await find({ ...offer, take }, since)).kind, 'unknown')
      await bots.cancelOffer(offer.botId, found?.offerId ?? '', CONTEXT)
    })
  }

  for (const word of ['lost_reply_not_placed', 'http_500', 'reject:16', 'reject:11']) {
    test(`after ${word} the send is unknown, and absent only when it has settled`, async () => {
      const { bots, environment } = setUp()
      const offer = await offerTo(setUp(), { token: 'manual00' })
      const since = new Date()
      await environment.script(word)
      assert.equal((await bots.sendOffer(offer, CONTEXT)).kind, 'unknown')
      const early = await find(offer, since)
      assert.ok(early.kind === 'unavailable' && early.retryAfterMs > 0)
      await eventually('the verdict that it is absent', async () => {
        const answer = await find(offer, since)
        return answer.kind === 'ok' && answer.value === null
      })
    })
  }

  test('after 429 nothing was sent, and the caller must wait', async () => {
    const { bots, environment } = setUp()
    const offer = await offerTo(setUp(), { token: 'manual00' })
    await environment.script('429')
    const answer = await bots.sendOffer(offer, CONTEXT)
    assert.ok(answer.kind === 'unavailable' && answer.retryAfterMs > 0)
    assert.deepEqual(await environment.offersWith(offer.offerIntentId), [])
  })
}

/** What the Web API leaves unsaid. */
export function registerSilence(setUp: () => BotsUnderTest): void {
  test('a trade that stays at status 2 is complete with new ids in every row, and pending without', async () => {
    const { bots, environment } = setUp()
    for (const [word, state] of [
      ['status_2', 'complete'],
      ['status_2_bare', 'pending'],
    ] as const) {
      await environment.script(word)
      const sent = await send(bots, await offerTo(setUp(), { count: 2 }))
      const { tradeId } = await until(bots, sent, 'accepted')
      const trade = await tradeOf(bots, sent, tradeId ?? '')
      assert.equal(trade.state, state, word)
      assert.equal(trade.received.length, state === 'complete' ? 2 : 0, word)
    }
  })

  for (const word of ['hold_empty', 'hold_403']) {
    test(`after ${word} the offer is sent, and a hold that the page shows refuses it`, async () => {
      const { bots, environment } = setUp()
      await environment.script(word)
      const sent = await send(bots, await offerTo(setUp(), { token: 'manual00' }))
      await bots.cancelOffer(sent.botId, sent.offerId, CONTEXT)
      await environment.script(word)
      const held = await bots.sendOffer(await offerTo(setUp(), { token: 'holdup00' }), CONTEXT)
      assert.equal(held.kind === 'rejected' && held.reason, 'trade_hold')
    })
  }

  test('a hold of our own account is no refusal of the user, and leaves the bot out', async () => {
    const { bots, environment } = setUp()
    await freshList(setUp())
    for (const words of [['my_hold'], ['hold_empty', 'my_hold']]) {
      await environment.script(...words)
      const offer = await offerTo(setUp(), { token: 'manual00' })
      assert.equal((await bots.sendOffer(offer, CONTEXT)).kind, 'unavailable')
      assert.deepEqual(await environment.offersWith(offer.offerIntentId), [])
      const bot = (await bots.list(CONTEXT)).find(({ id }) => id === offer.botId)
      assert.ok(bot?.restrictedUntil && bot.restrictedUntil > new Date())
    }
  })
}
