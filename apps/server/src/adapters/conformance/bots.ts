// The promises of selling's port, tried on an adapter against a living platform.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { closedGuards } from '#infra/testing/open-guard'
import { newId } from '#kernel/id'
import { registerSilence, registerUnknowns } from './bot-doubts.ts'
import {
  type BotsUnderTest,
  botOf,
  CONTEXT,
  freshList,
  idOf,
  ids,
  keys,
  NEVER,
  offerTo,
  okOf,
  READ,
  type Sent,
  seePrivate,
  send,
  tradeOf,
  until,
} from './bots-under-test.ts'
import { eventually } from './environment.ts'

export function botsConformance(name: string, setUp: () => BotsUnderTest): void {
  describe(name, { concurrency: 1 }, () => {
    registerInventories(setUp)
    registerEnds(setUp)
    registerRefusals(setUp)
    registerUnknowns(setUp)
    registerSilence(setUp)
    registerSessions(setUp)
  })
}

function registerInventories(setUp: () => BotsUnderTest): void {
  test('an inventory is read whole, over more than one page', async () => {
    const { inventories, environment } = setUp()
    const partner = environment.newPartner()
    await environment.setCount(idOf(partner), 2_345)
    const { items } = okOf(await inventories.read(idOf(partner), READ))
    assert.equal(new Set(items.map(({ assetId }) => assetId)).size, 2_345)
    assert.ok(items.every(({ contextId }) => contextId === '2'))
    const weapon = items.find(({ previewToken }) => previewToken !== null)
    assert.ok(weapon?.wearText && weapon.paintSeed !== null && weapon.paintIndex !== null)
    assert.ok(weapon.exterior && weapon.rarity && /^[0-9A-F]{6}$/i.test(weapon.color ?? ''))
  })

  test('a private inventory is rejected, and too many reads must wait', async () => {
    const { inventories, environment } = setUp()
    const partner = environment.newPartner()
    await seePrivate(setUp(), partner)
    const answer = await inventories.read(idOf(partner), READ)
    assert.equal(answer.kind === 'rejected' && answer.reason, 'inventory_private')
    await environment.script('refuse_reads:1')
    const limited = await setUp().other.inventories.read(idOf(environment.newPartner()), READ)
    assert.ok(limited.kind === 'unavailable' && limited.retryAfterMs > 0)
  })

  test('a platform that is away reads nothing, and certainly did nothing', async () => {
    const { astray, environment } = setUp()
    const answer = await astray.inventories.read(idOf(environment.newPartner()), READ)
    assert.equal(answer.kind, 'unavailable')
    const offer = { ...(await offerTo(setUp())), botId: await botOf(setUp()) }
    const listed = await astray.bots.listSent(offer.botId, new Date(), CONTEXT)
    assert.equal(listed.kind, 'unavailable')
    assert.equal((await astray.bots.sendOffer(offer, CONTEXT)).kind, 'unavailable')
  })
}

function registerEnds(setUp: () => BotsUnderTest): void {
  test('an accepted offer becomes a trade that says what was received, in protection', async () => {
    const { bots } = setUp()
    const offer = await offerTo(setUp(), { count: 3 })
    const sent = await send(bots, offer)
    const accepted = await until(bots, sent, 'accepted')
    assert.ok(accepted.tradeId)
    assert.deepEqual(keys(accepted.assets), keys(offer.take))
    const trade = await tradeOf(bots, sent, accepted.tradeId)
    assert.equal(trade.state, 'complete')
    assert.equal(trade.rollbackTradeId, null)
    assert.ok(trade.settlesAt !== null)
    assert.deepEqual(trade.received.map(({ assetId }) => assetId).sort(), ids(offer.take))
    for (const { assetId, newAssetId, newContextId } of trade.received) {
      assert.notEqual(newAssetId, assetId)
      assert.equal(newContextId, '16')
    }
  })

  for (const [token, state] of [
    ['declin00', 'declined'],
    ['expire00', 'expired'],
  ] as const) {
    test(`an offer to ${token} ends as ${state}`, async () => {
      const { bots } = setUp()
      const sent = await send(bots, await offerTo(setUp(), { token }))
      const seen = await until(bots, sent, state)
      assert.equal(seen.tradeId, null)
    })
  }

  test('the list of a bot has what it sent, with its message, whatever became of it', async () => {
    const { bots, other } = setUp()
    const since = new Date()
    const offer = await offerTo(setUp(), { count: 2 })
    const sent = await send(bots, offer)
    const declined = await send(bots, await offerTo(setUp(), { token: 'declin00' }))
    await until(bots, sent, 'accepted')
    await until(bots, declined, 'declined')
    const list = okOf(await other.bots.listSent(sent.botId, since, CONTEXT))
    const line = list.offers.find(({ snapshot }) => snapshot.offerId === sent.offerId)
    assert.ok(list.isWhole && line)
    assert.ok(line.message.split(/\s+/).includes(offer.offerIntentId))
    assert.equal(line.snapshot.state, 'accepted')
    assert.deepEqual(keys(line.snapshot.assets), keys(offer.take))
    assert.deepEqual(line.gives, [])
    const ended = list.offers.find(({ snapshot }) => snapshot.offerId === declined.offerId)
    assert.equal(ended?.snapshot.state, 'declined')
  })

  test('a reversal is seen on the trade, with the trade that undid it', async () => {
    const { bots } = setUp()
    const sent = await send(bots, await offerTo(setUp(), { token: 'rvuser00' }))
    const { tradeId } = await until(bots, sent, 'accepted')
    assert.ok(tradeId)
    const trade = await eventually('the reversal', async () => {
      const seen = await tradeOf(bots, sent, tradeId)
      return seen.state === 'reverted' && seen
    })
    assert.match(trade.rollbackTradeId ?? '', /^\d+$/)
  })

  test('an offer is cancelled by us, and a final one stays what it is', async () => {
    const { bots } = setUp()
    const sent = await send(bots, await offerTo(setUp(), { token: 'manual00' }))
    const cancel = (context = CONTEXT) => bots.cancelOffer(sent.botId, sent.offerId, context)
    for (const guard of closedGuards) {
      assert.equal((await cancel({ ...CONTEXT, guard })).kind, 'unavailable')
      await until(bots, sent, 'active')
    }
    assert.deepEqual(await cancel(), { kind: 'ok', value: 'canceled' })
    const seen = await until(bots, sent, 'canceled')
    assert.equal(seen.canceledBy, 'us')
    assert.deepEqual(await cancel(), { kind: 'ok', value: 'canceled' })
    const declined = await send(bots, await offerTo(setUp(), { token: 'declin00' }))
    await until(bots, declined, 'declined')
    assert.deepEqual(await bots.cancelOffer(declined.botId, declined.offerId, CONTEXT), {
      kind: 'ok',
      value: 'already_final',
    })
  })

  test('an offer whose items went elsewhere has invalid items', async () => {
    const { bots, environment } = setUp()
    const offer = await offerTo(setUp(), { token: 'manual00' })
    const one = await send(bots, offer)
    const two = await send(bots, { ...offer, offerIntentId: newId() })
    await environment.moveOffer(one.offerId, 'accept')
    await environment.moveOffer(two.offerId, 'accept')
    await until(bots, two, 'invalid_items')
  })

  test('many offers are looked up at once, ended ones and old ones among them', async () => {
    const { bots } = setUp()
    const tokens = ['manual00', 'declin00', 'accept00', 'manual00', 'declin00', 'accept00']
    const offers = await Promise.all(tokens.map((token) => offerTo(setUp(), { token })))
    const sent: Sent[] = []
    for (const offer of offers) sent.push(await send(bots, offer))
    const botId = sent[0]?.botId ?? ''
    const seen = await eventually('all six', async () => {
      const all = sent.map(({ offerId }) => offerId)
      const answer = okOf(await bots.lookUp(botId, [...all, '7121999999'], CONTEXT))
      assert.equal(answer.has('7121999999'), false)
      const states = sent.map(({ offerId }) => answer.get(offerId)?.state)
      return states.join() === WANTED && answer
    })
    assert.equal(seen.size, 6)
    for (const { offerId, botId: id } of sent) await bots.cancelOffer(id, offerId, CONTEXT)
  })
}

const WANTED = 'active,declined,accepted,active,declined,accepted'

function registerRefusals(setUp: () => BotsUnderTest): void {
  const rejections: [string, string, string[]][] = [
    ['a partner with a trade ban', 'trade_ban', ['banned00']],
    ['a partner who is not available to trade', 'target_cannot_trade', ['privat00']],
    ['a partner whose items the platform would hold', 'trade_hold', ['holdup00']],
    ['items that are gone', 'items_gone', ['manual00', 'reject:26']],
    ['too many offers', 'offer_limit', ['manual00', 'reject:25']],
    ['denied access', 'target_cannot_trade', ['manual00', 'reject:15']],
  ]
  for (const [what, reason, [token = '', ...script]] of rejections) {
    test(`${what}: rejected as ${reason}, and nothing was sent`, async () => {
      const { bots, environment } = setUp()
      const offer = await offerTo(setUp(), { token })
      await environment.script(...script)
      const answer = await bots.sendOffer(offer, CONTEXT)
      assert.equal(answer.kind === 'rejected' && answer.reason, reason, JSON.stringify(answer))
      assert.deepEqual(await environment.offersWith(offer.offerIntentId), [])
    })
  }

  test('nothing is sent under a guard that has lost its lease, before the call or in its last moment', async () => {
    const { bots, environment } = setUp()
    for (const guard of closedGuards) {
      const offer = await offerTo(setUp(), { token: 'manual00' })
      assert.equal((await bots.sendOffer(offer, { ...CONTEXT, guard })).kind, 'unavailable')
      assert.deepEqual(await environment.offersWith(offer.offerIntentId), [])
    }
  })

  test('a token that the platform does not take is an invalid URL', async () => {
    const offer = await offerTo(setUp(), { token: 'not good' })
    const answer = await setUp().bots.sendOffer(offer, CONTEXT)
    assert.equal(answer.kind === 'rejected' && answer.reason, 'url_invalid')
  })

  test('an asset that the partner does not have is gone', async () => {
    const offer = await offerTo(setUp())
    const take = [{ assetId: '123456789', contextId: '2' }] as const
    const answer = await setUp().bots.sendOffer({ ...offer, take }, CONTEXT)
    assert.equal(answer.kind === 'rejected' && answer.reason, 'items_gone')
  })

  test('a sixth offer to one partner is one too many', async () => {
    const { bots, environment } = setUp()
    const partner = environment.newPartner()
    const offer = await offerTo(setUp(), { token: 'manual00', partner })
    const sent: Sent[] = []
    for (let count = 0; count < 5; count += 1) {
      sent.push(await send(bots, { ...offer, offerIntentId: newId() }))
    }
    const answer = await bots.sendOffer({ ...offer, offerIntentId: newId() }, CONTEXT)
    assert.equal(answer.kind === 'rejected' && answer.reason, 'offer_limit')
    for (const { botId, offerId } of sent) await bots.cancelOffer(botId, offerId, CONTEXT)
  })
}

function registerSessions(setUp: () => BotsUnderTest): void {
  test('a session lost in the middle of a send is taken up again, and sends once', async () => {
    const { bots, environment } = setUp()
    const offer = await offerTo(setUp(), { token: 'manual00' })
    await environment.script('session_lost')
    const sent = await send(bots, offer)
    assert.equal((await environment.offersWith(offer.offerIntentId)).length, 1)
    await environment.script('end_sessions')
    assert.equal(okOf(await bots.lookUp(sent.botId, [sent.offerId], CONTEXT)).size, 1)
    await bots.cancelOffer(sent.botId, sent.offerId, CONTEXT)
  })

  test('two processes that want one bot take turns, and neither sends twice', async () => {
    const { bots, other, environment } = setUp()
    const botId = await botOf(setUp())
    const offers = await Promise.all(
      Array.from({ length: 6 }, () => offerTo(setUp(), { token: 'manual00' })),
    )
    const answers = await Promise.all(
      offers.map((offer, index) =>
        (index % 2 === 0 ? bots : other.bots).sendOffer({ ...offer, botId }, CONTEXT),
      ),
    )
    for (const [index, answer] of answers.entries()) {
      assert.equal(answer.kind, 'ok', JSON.stringify(answer))
      assert.equal((await environment.offersWith(offers[index]?.offerIntentId ?? '')).length, 1)
      if (answer.kind === 'ok') await bots.cancelOffer(botId, answer.value.offerId, CONTEXT)
    }
  })

  test('the list has each bot, its active offers and its free slots', async () => {
    const { bots, other, watchBots } = setUp()
    const before = await freshList(setUp())
    assert.ok(before.length >= 3 && before.every(({ online }) => online))
    const sent = await send(bots, await offerTo(setUp(), { token: 'manual00' }))
    await watchBots(NEVER, CONTEXT)
    const of = (list: readonly { id: string; activeOffers: number }[]): number =>
      list.find(({ id }) => id === sent.botId)?.activeOffers ?? -1
    // What one process has seen, the others know.
    assert.equal(of(await other.bots.list(CONTEXT)), of(before) + 1)
    await bots.cancelOffer(sent.botId, sent.offerId, CONTEXT)
  })

  test('while the platform is away no bot is online, and afterwards each is', async () => {
    const { environment, bots, watchBots } = setUp()
    await environment.setOnline(false)
    try {
      await watchBots(NEVER, CONTEXT)
      assert.ok((await bots.list(CONTEXT)).every(({ online }) => !online))
    } finally {
      await environment.setOnline(true)
    }
    assert.ok((await freshList(setUp())).every(({ online }) => online))
  })

  test('a bot that is not ours here is unavailable', async () => {
    const offer = { ...(await offerTo(setUp())), botId: '76561197960265729' }
    assert.equal((await setUp().bots.sendOffer(offer, CONTEXT)).kind, 'unavailable')
  })
}
