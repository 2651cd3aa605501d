// Another key for one of our accounts: no open order is lost sight of, also one that begins meanwhile.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Actor, listAudit } from '#audit'
import { listKeys } from '#buying'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { givenTrade } from '../../modules/trading/buying/testing/buyers.ts'
import { placeRound } from '../../modules/trading/buying/testing/rounds.ts'
import { scriptedSupplier } from '../../modules/trading/buying/testing/supplier.ts'
import { rotateMarketKey } from '../index.ts'

let database: TestDatabase
let clock: ManualClock
const ada: Actor = { kind: 'administrator', id: 'ada', request: {} }
const MAIN = { market: 'market_b', account: 'main' } as const

before(async () => {
  database = await testDatabase()
  clock = manualClock(new Date('2026-11-29T08:00:00.000Z'))
})
after(() => database.close())

const rotate = (knowsOrders: boolean, isTaken = () => false) =>
  rotateMarketKey(
    { db: database.db, clock },
    ada,
    { ...MAIN, sealedKey: 'sealed', hashes: ['before', 'now'], knowsOrders, reason: 'a leak' },
    isTaken,
  )
const versionOf = async (): Promise<number | undefined> =>
  (await listKeys(database.db)).find((one) => one.market === MAIN.market)?.keyVersion
const entries = async () =>
  (await listAudit(database.db, { limit: 10 })).filter(({ act }) => act === 'market_account.rotate')

it('a key that was seen to know no open order is refused while one is open, and leaves no entry', async () => {
  const { db } = database
  const supplier = scriptedSupplier()
  await givenTrade({ db, clock })
  // The market was asked before; the order begins before the commit.
  supplier.afterTurn = async () => assert.equal(await rotate(false), 'begun')
  await placeRound({ db, clock, market: supplier, concurrency: 1 })
  assert.equal(supplier.purchases.length, 1)
  assert.deepEqual([await rotate(false), await versionOf(), await entries()], ['begun', 1, []])
})

it('one that another account has is refused, and one that knows the open orders is taken, with an entry', async () => {
  assert.equal(await rotate(true, () => true), 'taken')
  assert.equal(await versionOf(), 1)
  assert.equal(await rotate(true), 'done')
  const [main] = (await listKeys(database.db)).filter(({ market }) => market === MAIN.market)
  assert.deepEqual([main?.keyVersion, main?.sealedKey], [2, 'sealed'])
  assert.deepEqual(main?.keyHashes, ['before', 'now'])
  assert.equal((await entries()).length, 1)
})
