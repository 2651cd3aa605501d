import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createPlacing, insertAccount } from '#buying'
import { sql } from '#infra/database/db'
import { type MarkFile, openRecoveryMark, type RecoveryMark } from '#infra/database/recovery-mark'
import { silentLog } from '#infra/process/log'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { mills } from '#kernel/money'
import { givenTrade } from '../buying/testing/buyers.ts'
import { scriptedSupplier } from '../buying/testing/supplier.ts'
import { cancelSell } from '../selling/index.ts'
import { assign } from '../selling/store/offers.ts'
import { follow, givenSell, place } from '../selling/testing/environment.ts'
import { anAsset, scriptedPlatform } from '../selling/testing/platform.ts'
import {
  createPlacingGate,
  forcePlacingGate,
  openOffersGate,
  openPlacingGate,
} from './placing-gate.ts'
import type { StatementAnswer, StatementLine, Statements } from './ports.ts'
import { createOfferReconciling } from './reconcile-offers.ts'
import { createReporter } from './report.ts'
import { BOTS, type GateName } from './store/gates.ts'
import { noPayments, startProcess, type TestProcess } from './testing/process.ts'

const SETTLE_MS = 15 * 60_000
const MARKETS = ['market_a', 'market_b'] as const
const GATED: readonly { readonly id: GateName; readonly settleMs: number }[] = MARKETS.map(
  (id) => ({ id, settleMs: SETTLE_MS }),
)

let database: TestDatabase
let clock: ManualClock
let file: MarkFile
let mark: RecoveryMark
let answer: StatementAnswer
let closings: string[]
let own: TestProcess

before(async () => {
  database = await testDatabase()
  own = await startProcess({ db: database.db, clock: manualClock(), gates: [...MARKETS, BOTS] })
})
after(async () => {
  await own.close()
  await database.close()
})
beforeEach(async () => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  let text: string | null = null
  file = {
    read: () => text,
    write: (next) => {
      text = next
    },
  }
  mark = openRecoveryMark({ db: database.db, clock, file })
  await mark.advance()
  answer = { kind: 'read', lines: [], isWhole: true }
  closings = []
  await database.db.script(`delete from reconciliation.placing_gate;
    update buying.item set due_at = 'infinity', work = 'follow' where work = 'place';
    update selling.sell set waiting = false where waiting`)
  // The first round opens the gates of a database that never placed anything.
  for (const market of MARKETS) await mayPlace(market)
})

const mayPlace = (
  market: GateName = 'market_b',
  as: RecoveryMark = mark,
  gated = GATED,
  account?: string,
) =>
  createPlacingGate({
    db: database.db,
    clock,
    mark: as,
    markets: gated,
    skipAddresses: async () => {},
    intents: own.intents,
    lost: noPayments,
    onClosed: ({ market, reason, items }) => closings.push(`${market}: ${reason}, ${items}`),
  })(market, account)

const statements: Statements = {
  id: 'market_b',
  account: 'main',
  traits: { settleMs: SETTLE_MS, keptOnUserReversalBps: null },
  read: async () => answer,
}
const tryToOpen = () => openPlacingGate({ db: database.db, clock, statements: [statements] })

/** A process whose mark the database does not know: the database is older than the mark. */
const strangeMark = (): RecoveryMark =>
  openRecoveryMark({ db: database.db, clock, file: { ...file, read: () => newId() } })

const givenWaitingItem = async (): Promise<string> =>
  (await givenTrade({ db: database.db, clock })).itemId

const READ = sql(
  'test.read_item',
  `select i.work, o.state, o.custom_id "customId" from buying.item i
   left join buying.supplier_order o on o.item_id = i.id where i.id = $1`,
)
const itemNow = async (id: string): Promise<unknown[]> => {
  const [row] = await database.db.query<{ work: string; state: string; customId: string }>(READ, [
    id,
  ])
  return [row?.work, row?.state, row?.customId?.replace(id, 'ID')]
}

const ACCOUNTS = sql(
  'test.accounts_of_item',
  `select i.market_account queue, o.market_account account, i.due_at due from buying.item i
     join buying.supplier_order o on o.item_id = i.id where i.id = $1`,
)
const rowOf = async (id: string) => {
  type AccountsRow = { queue: string; account: string; due: Date }
  const [row] = await database.db.query<AccountsRow>(ACCOUNTS, [id])
  return row ?? assert.fail('an item with an order')
}
const accountsOf = async (id: string) => {
  const { queue, account } = await rowOf(id)
  return [queue, account]
}
const dueOf = async (id: string) => (await rowOf(id)).due

const line = (customId: string): StatementLine => ({
  orderId: '17',
  customId,
  placedAt: new Date('2026-11-21T11:59:00.000Z'),
  paidMills: null,
  state: 'open',
  returnedMills: null,
  detail: '',
})

describe('the gate in front of purchases', () => {
  it('is open in the history and with the mark that it knows', async () => {
    assert.equal(await mayPlace(), true)
    await mark.advance()
    assert.equal(await mayPlace(), true)
    assert.deepEqual(closings, [])
  })

  it("closes every market's gate when the database does not know the mark", async () => {
    const id = await givenWaitingItem()
    const other = strangeMark()
    assert.equal(await mayPlace('market_a', other), false)
    assert.deepEqual(closings.sort(), [
      'market_a: mark not found, 0',
      'market_b: mark not found, 1',
    ])
    assert.deepEqual(await itemNow(id), ['follow', 'unknown', 'ID'])
    assert.equal(await other.isKnown(database.db), true, 'the next mark is kept again')
    assert.equal(await mayPlace('market_b', other), false, 'and both stay closed')
    assert.equal(await mayPlace(), false, 'for every process')
    assert.equal(closings.length, 2)
  })
})

describe('a closed gate', () => {
  it('has nothing placed, and fails no item that has waited for too long', async () => {
    const supplier = scriptedSupplier()
    const id = await givenWaitingItem()
    clock.advance(3_600_000)
    const restored = strangeMark()
    const place = createPlacing({
      ...{ db: database.db, clock, market: supplier, concurrency: 1 },
      isMarketAvailable: async () => true,
      mayPlace: () => mayPlace('market_b', restored),
      holdMs: 60_000,
      leaseMs: 30_000,
      giveUpMs: 900_000,
      onCase: () => {},
    })
    for (let round = 0; round < 3; round++) await place(new AbortController().signal)
    assert.deepEqual(await itemNow(id), ['follow', 'unknown', 'ID'])
    assert.equal(supplier.purchases.length, 0)
  })

  it('waits for the settle time of the statement', async () => {
    await mayPlace('market_b', strangeMark())
    assert.deepEqual(await tryToOpen(), { kind: 'settling' })
    clock.advance(SETTLE_MS)
    assert.deepEqual(await tryToOpen(), { kind: 'opened', followed: 0, resumed: 0 })
    assert.deepEqual(await tryToOpen(), { kind: 'open' })
    assert.equal(await mayPlace(), true)
  })

  it('opens on a whole statement only', async () => {
    await mayPlace('market_b', strangeMark())
    clock.advance(SETTLE_MS)
    for (const given of [
      { kind: 'unavailable', detail: 'away' },
      { kind: 'read', lines: [], isWhole: false },
    ] as const) {
      answer = given
      assert.equal((await tryToOpen()).kind, 'unavailable')
      assert.equal(await mayPlace(), false)
    }
  })

  it('has listed items followed under the id that is listed, and the others placed', async () => {
    const [listed, replaced, unlisted] = [
      await givenWaitingItem(),
      await givenWaitingItem(),
      await givenWaitingItem(),
    ]
    await mayPlace('market_b', strangeMark())
    clock.advance(SETTLE_MS)
    // Its first listing was gone, and it was bought a second time: all of that is lost with the restore.
    const lines = [line(listed), line(`${replaced}-2`), line(newId())]
    answer = { kind: 'read', lines, isWhole: true }
    assert.deepEqual(await tryToOpen(), { kind: 'opened', followed: 2, resumed: 1 })
    assert.deepEqual(await itemNow(listed), ['follow', 'unknown', 'ID'])
    assert.deepEqual(await itemNow(replaced), ['follow', 'unknown', 'ID-2'])
    assert.deepEqual(await itemNow(unlisted), ['place', 'not_sent', 'ID'])
  })

  it('opens for each account when its own statement was compared, for what waited when all were, and has an item followed with the account that lists it', async () => {
    const { db } = database
    await db.transaction((tx) =>
      insertAccount(tx, {
        ...{ market: 'market_b', account: 'second', use: 'buying', reserveMills: mills(0n) },
        sealedKey: 'sealed',
        balance: { currency: 'USD', balanceMills: mills(1_000_000n), askedAt: clock.now() },
      }),
    )
    const [listed, unlisted] = [await givenWaitingItem(), await givenWaitingItem()]
    await mayPlace('market_b', strangeMark())
    // No look-up with the key of one account gives it up before.
    assert.ok((await dueOf(listed)).getTime() - clock.now().getTime() > 24 * 3_600_000)
    clock.advance(SETTLE_MS)
    let ofSecond: StatementAnswer = { kind: 'unavailable', detail: 'away' }
    const second = { ...statements, account: 'second', read: async () => ofSecond }
    const open = () => openPlacingGate({ db, clock, statements: [statements, second] })
    assert.deepEqual(await open(), { kind: 'unavailable', detail: 'account second: away' })
    assert.deepEqual(await tryToOpen(), {
      ...{ kind: 'unavailable', detail: 'account second: it is not opened' },
    })
    assert.equal(await mayPlace(), false)
    const mayPlaceWith = (account: string) => mayPlace('market_b', mark, GATED, account)
    assert.deepEqual([await mayPlaceWith('main'), await mayPlaceWith('second')], [true, false])
    assert.deepEqual(await itemNow(listed), ['follow', 'unknown', 'ID'])
    ofSecond = { kind: 'read', lines: [line(listed)], isWhole: true }
    assert.deepEqual(await open(), { kind: 'opened', followed: 1, resumed: 1 })
    assert.deepEqual(await itemNow(listed), ['follow', 'unknown', 'ID'])
    assert.deepEqual(await itemNow(unlisted), ['place', 'not_sent', 'ID'])
    assert.deepEqual(await accountsOf(listed), ['second', 'second'])
    await db.script(`update buying.supplier_order set market_account = 'main';
      delete from buying.market_account where name = 'second'`)
  })

  it('that an operator opens leaves held-back items to look-ups', async () => {
    const id = await givenWaitingItem()
    await mayPlace('market_b', strangeMark())
    const open = () =>
      database.db.transaction((tx) => forcePlacingGate(tx, 'market_b', clock.now()))
    assert.equal(await open(), true)
    assert.equal(await open(), false)
    assert.equal(await mayPlace(), true)
    assert.deepEqual(await itemNow(id), ['follow', 'unknown', 'ID'])
  })
})

const UNMATCHED = sql(
  'test.orphan_offers',
  `select cleared_at is not null "isCleared" from reconciliation.case_file where kind = 'orphan_offer'`,
)
const OFFERS_OF = sql('test.offers_of', 'select id from selling.offer where trade_id = $1')

describe('the gate in front of offers to sellers', () => {
  const withBots = [...GATED, { id: BOTS, settleMs: 60_000 }]
  const environment = () => ({ database, clock, platform: scriptedPlatform(), cases: [] })
  type Environment = ReturnType<typeof environment>
  const tryToOffer = ({ platform }: Environment) =>
    openOffersGate({
      ...{ db: database.db, clock, bots: platform },
      settleMs: 60_000,
      offerMs: 1_800_000,
    })
  /** An offer that the bot sent after the copy of the database was made. */
  const lose = ({ platform }: Environment, asset: string, state: 'active' | 'declined'): void => {
    const [botId = ''] = platform.bots.keys()
    const offerId = String(700_000 + platform.offers.size)
    const assets = [{ assetId: asset, contextId: '2' as const }]
    const snapshot = { offerId, state, canceledBy: null, tradeId: null, assets }
    const offer = { ...snapshot, botId, offerIntentId: newId(), updatedAt: clock.now() }
    platform.offers.set(offerId, offer)
  }

  it('has each seller asked once: what the bots list is followed, and the rest is offered', async () => {
    const at = environment()
    await mayPlace(BOTS, mark, withBots)
    const [taken, open, declined, waiting] = [
      await givenSell(at),
      await givenSell(at),
      await givenSell(at),
      await givenSell(at),
    ]
    lose(at, taken.asset, 'active')
    at.platform.accept(taken.asset)
    // The user had declined another one before.
    lose(at, taken.asset, 'declined')
    lose(at, open.asset, 'active')
    lose(at, declined.asset, 'declined')

    const restored = strangeMark()
    const mayOffer = () => mayPlace(BOTS, restored, withBots)
    assert.equal(await mayOffer(), false)
    assert.ok(closings.includes('bots: mark not found, 4'))
    clock.advance(59_000)
    await place(at, mayOffer)
    assert.deepEqual(await tryToOffer(at), { kind: 'settling' })
    const canceled = await cancelSell(
      { db: database.db, clock },
      { tradeId: taken.receipt.tradeId, itemId: null },
    )
    assert.deepEqual(
      canceled.map(({ reason }) => reason),
      ['TRADE_CANCEL_TOO_SOON'],
    )
    clock.advance(3_600_000)
    await place(at, mayOffer)
    assert.equal(at.platform.sent.length, 0)
    for (const { status } of [taken, open, declined, waiting]) {
      assert.equal(await status(), 'initiated', 'nothing is failed as overdue')
    }

    at.platform.online = false
    assert.equal((await tryToOffer(at)).kind, 'unavailable')
    at.platform.online = true
    at.platform.isListWhole = false
    assert.equal((await tryToOffer(at)).kind, 'unavailable')
    at.platform.isListWhole = true
    const reporting = { db: database.db, clock, source: 'statement', onOpened: () => {} } as const
    const reconcile = createOfferReconciling({
      ...{ db: database.db, clock, bots: at.platform, settleMs: 0 },
      report: createReporter(reporting),
      log: silentLog,
    })
    await reconcile(86_400_000)
    const unmatched = async () =>
      (await database.db.query<{ isCleared: boolean }>(UNMATCHED)).map(({ isCleared }) => isCleared)
    assert.deepEqual(await unmatched(), [false, false], 'two offers are live and without a sell')
    assert.deepEqual(await tryToOffer(at), { kind: 'opened', followed: 3, resumed: 1 })
    assert.deepEqual(await unmatched(), [true, true])
    assert.equal(await mayOffer(), true)
    clock.advance(1000)
    await follow(at)
    assert.deepEqual(
      [await taken.status(), await open.status(), await declined.status()],
      ['hold', 'active', 'declined'],
    )
    const offers = await database.db.query(OFFERS_OF, [taken.receipt.tradeId])
    assert.equal(offers.length, 1, 'an item has one offer')
    assert.equal(at.platform.sent.length, 0)
  })

  it('offers what no list has, and leaves offers alone that are known, of others, or for something else', async () => {
    const at = environment()
    await mayPlace(BOTS, mark, withBots)
    const [known, other] = [await givenSell(at), await givenSell(at)]
    await place(at)
    const sent = at.platform.sent.length
    const waiting = await givenSell(at)
    lose(at, waiting.asset, 'active')
    const [lost] = [...at.platform.offers.values()].slice(-1)
    assert.ok(lost)
    // It takes another seller's item as well, so it is none of ours.
    const foreign = [...lost.assets, anAsset(other.asset)]
    at.platform.offers.set(lost.offerId, { ...lost, assets: foreign })
    const restored = strangeMark()
    const mayOffer = () => mayPlace(BOTS, restored, withBots)
    await mayOffer()
    clock.advance(60_000)
    assert.deepEqual(await tryToOffer(at), { kind: 'opened', followed: 0, resumed: 1 })
    await place(at, mayOffer)
    assert.equal(at.platform.sent.length, sent + 1)
    assert.equal(await waiting.status(), 'active')
    assert.equal(await known.status(), 'active')
  })

  it('compares a bot that was never seen, and waits for one that is lost or was removed, until it is forgotten', async () => {
    const at = environment()
    await mayPlace(BOTS, mark, withBots)
    const [ofNew, waiting] = [await givenSell(at), await givenSell(at)]
    const [seen = ''] = at.platform.bots.keys()
    lose(at, ofNew.asset, 'active')
    const [lost] = [...at.platform.offers.values()].slice(-1)
    assert.ok(lost)
    at.platform.offers.delete(lost.offerId)
    const added = { ...lost, offerId: '710000', botId: 'added' }
    at.platform.offers.set(added.offerId, added)
    // A list that names one offer twice: the second time it takes nothing.
    const assets = [{ assetId: waiting.asset, contextId: '2' as const }]
    at.platform.offers.set('twice', { ...added, offerIntentId: newId(), assets })
    const restored = strangeMark()
    const mayOffer = () => mayPlace(BOTS, restored, withBots)
    await mayOffer()
    clock.advance(60_000)
    at.platform.acting = []
    assert.equal((await tryToOffer(at)).kind, 'unavailable', 'without bots there is no comparison')
    at.platform.acting = [seen, 'added']
    at.platform.online = false
    assert.equal((await tryToOffer(at)).kind, 'unavailable')
    at.platform.online = true
    at.platform.acting = ['added']
    const detail = `bot ${seen} was removed: what it sent is compared by a person`
    assert.deepEqual(await tryToOffer(at), { kind: 'unavailable', detail })
    assert.equal(await mayOffer(), false)
    at.platform.bots.delete(seen)
    assert.deepEqual(await tryToOffer(at), { kind: 'opened', followed: 1, resumed: 1 })
    assert.deepEqual([await ofNew.status(), await waiting.status()], ['active', 'initiated'])
  })

  it('stops what a worker claimed before it closed', async () => {
    const at = environment()
    await mayPlace(BOTS, mark, withBots)
    const { receipt } = await givenSell(at)
    await mayPlace(BOTS, strangeMark(), withBots)
    const now = clock.now()
    const limits = { bots: [...at.platform.bots.values()], botLimit: 30, partnerLimit: 5 }
    const times = { at: now, leaseUntil: now, expiresAt: now }
    assert.deepEqual(
      await assign(database.db, { tradeId: receipt.tradeId, ...limits, ...times }),
      [],
    )
  })

  it('that an operator opens has the sells offered again', async () => {
    const at = environment()
    await mayPlace(BOTS, mark, withBots)
    const waiting = await givenSell(at)
    const restored = strangeMark()
    const mayOffer = () => mayPlace(BOTS, restored, withBots)
    await mayOffer()
    const opened = await database.db.transaction((tx) => forcePlacingGate(tx, BOTS, clock.now()))
    assert.equal(opened, true)
    await place(at, mayOffer)
    assert.equal(await waiting.status(), 'active')
  })
})
