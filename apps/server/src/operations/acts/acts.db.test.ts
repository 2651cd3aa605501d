import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Actor, listAudit } from '#audit'
import { listHeldPayments } from '#deposits'
import { sql } from '#infra/database/db'
import { createSecretBox } from '#infra/process/secrets'
import { manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents, mills } from '#kernel/money'
import { listCases } from '#reconciliation'
import { readPolicy } from '#selling'
import { createPauseReader } from '#trades'
import { findEndpoint } from '#webhooks'
import { aMerchant } from '../../modules/accounts/identity/testing/accounts.ts'
import { givenDeposits } from '../../modules/crypto/deposits/testing/depositors.ts'
import { createReporter } from '../../modules/trading/reconciliation/report.ts'
import {
  type ActDeps,
  changeBand,
  changeItemPolicy,
  changeMarketAccount,
  changePolicy,
  changeTier,
  decideHeldPayment,
  pauseTrading,
  readSupplierAccounts,
  recoverDeliveries,
  resolveCase,
  resumeTrading,
  retryDeadLetters,
  rotateWebhookSecret,
  setWaitingLimit,
  setWebhookEndpoint,
  switchMarket,
} from '../index.ts'

let database: TestDatabase
let deps: ActDeps
let merchantId: string
const clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
const ada: Actor = { kind: 'operator', id: 'ada', request: { host: 'desk-1' } }

before(async () => {
  database = await testDatabase()
  deps = { db: database.db, clock }
  merchantId = (await aMerchant(database.db)).id
})
after(() => database.close())

const settingDeps = (rules: { readonly allowPrivate: boolean }) => ({
  ...deps,
  ...rules,
  secrets: createSecretBox([Buffer.alloc(32, 7)]),
  names: { resolve: async () => [] },
})

/** What an act left in the log: its name, its subject and its details. */
async function entriesOf(work: () => Promise<unknown>): Promise<string[]> {
  const [last] = await listAudit(database.db, { limit: 1 })
  await work()
  const entries = await listAudit(database.db, { limit: 20 })
  return entries
    .filter(({ id }) => id > (last?.id ?? 0n))
    .map(({ act, actor, subject, details }) =>
      [actor.id, act, subject.type, subject.id ?? '-', JSON.stringify(details)].join(' '),
    )
}

describe('an act of an operator leaves one entry in the audit log', () => {
  it('when trading is paused and resumed', async () => {
    const isPaused = () => createPauseReader(database.db, clock)()
    assert.deepEqual(await entriesOf(() => pauseTrading(deps, ada, 'a drill')), [
      'ada trading.pause trading - {"reason":"a drill"}',
    ])
    assert.equal(await isPaused(), true)
    assert.deepEqual(await entriesOf(() => resumeTrading(deps, ada, 'it is over')), [
      'ada trading.resume trading - {"reason":"it is over"}',
    ])
    assert.equal(await isPaused(), false)
  })

  it('when the limit of waiting items is set', async () => {
    const set = (limit: number | null) => setWaitingLimit(deps, ada, { limit, reason: 'a sale' })
    assert.deepEqual(await entriesOf(() => set(500)), [
      'ada trading.waiting_limit trading - {"limit":500,"reason":"a sale"}',
    ])
    await assert.rejects(async () => set(199), /VALIDATION_FAILED/)
    await set(300)
  })

  it('when the reserve of our account at a market is set', async () => {
    const reserve = {
      market: 'market_a',
      account: 'main',
      reserveMills: mills(250_500n),
      reason: 'fees',
    } as const
    assert.deepEqual(await entriesOf(() => changeMarketAccount(deps, ada, reserve)), [
      'ada market_account.reserve market market_a {"reason":"fees","account":"main"}',
    ])
    const [account] = await readSupplierAccounts(database.db)
    assert.equal(account?.reserveMills, 250_500n)
    const [entry] = await listAudit(database.db, { limit: 1 })
    assert.deepEqual(entry?.changes, { reserve: { from: '0.000', to: '250.500' } })
    await changeMarketAccount(deps, ada, { ...reserve, reserveMills: mills(0n) })
  })

  it('when a held payment is released, and its case is resolved', async () => {
    const given = givenDeposits(database.db, clock)
    const { id } = await given.given(await given.depositor())
    given.gateway.pay(id, '200000', { state: 'paid', settlementRef: 'pay-1' })
    await given.follow()
    await createReporter({ ...deps, source: 'follower', onOpened: () => {} })('deposit_held_back', {
      depositId: id,
    })
    const [held] = await listHeldPayments(database.db, 1)
    const release = () =>
      decideHeldPayment(deps, ada, {
        id: held?.id ?? '',
        state: 'released',
        reason: 'a large order',
      })
    assert.deepEqual(await entriesOf(release), [
      `ada deposit.release deposit ${id} {"reason":"a large order","settlementRef":"pay-1"}`,
    ])
    const resolved = await listCases(database.db, {
      ...{ state: 'resolved', kind: 'deposit_held_back', limit: 1 },
    })
    assert.equal(resolved[0]?.resolution, 'released: a large order')
    await assert.rejects(release, /DEPOSIT_NOT_FOUND/)
  })

  it('when a market is switched', async () => {
    const set = (enabled: boolean) =>
      switchMarket(deps, ada, { market: 'market_a', enabled, reason: 'it flaps' })
    assert.deepEqual(await entriesOf(() => set(false)), [
      'ada market.disable market market_a {"reason":"it flaps"}',
    ])
    assert.deepEqual(await entriesOf(() => set(true)), [
      'ada market.enable market market_a {"reason":"it flaps"}',
    ])
  })

  it('when the pricing policy is changed', async () => {
    const item = '0123456789abcdef'
    assert.deepEqual(await entriesOf(() => changePolicy(deps, ada, { leastQuote: cents(250n) })), [
      'ada selling.set_policy selling_policy - {"leastQuote":"250"}',
    ])
    assert.equal((await readPolicy(database.db)).leastQuote, 250n)
    const band = { leastVolume: 7, discountBps: 1250 }
    assert.deepEqual(await entriesOf(() => changeBand(deps, ada, band)), [
      'ada selling.set_band selling_band 7 {"discountBps":1250}',
    ])
    const policy = { accepted: false, quote: null, discountBps: null, reason: 'forged' }
    const [entry] = await entriesOf(() => changeItemPolicy(deps, ada, item, policy))
    assert.match(entry ?? '', /^ada selling\.set_item catalog_item 0123456789abcdef .*forged/)
  })

  it('when a tier is changed', async () => {
    const order = { accountId: merchantId, tier: 'premium' } as const
    assert.deepEqual(await entriesOf(() => changeTier(deps, ada, order)), [
      `ada account.set_tier account ${merchantId} {"tier":"premium"}`,
    ])
  })

  it('when a case is resolved, and only by the first who does it', async () => {
    const report = createReporter({ db: database.db, clock, source: 'follower', onOpened() {} })
    await report('missing', { itemId: newId() })
    const [open] = await listCases(database.db, { state: 'open', kind: 'missing', limit: 1 })
    const id = open?.id ?? ''
    const resolve = () => resolveCase(deps, ada, id, { reason: 'paid back' })
    assert.deepEqual(await entriesOf(resolve), [
      `ada case.resolve case ${id} {"by":"ada","reason":"paid back"}`,
    ])
    assert.deepEqual(await entriesOf(resolve), [])
  })

  it('when a webhook endpoint is set, rotated and recovered, without any secret', async () => {
    const setting = settingDeps({ allowPrivate: true })
    const url = 'https://user:hunter2@hooks.example.com/tradepost?token=t0ps3cret'
    const secrets: string[] = ['hunter2', 't0ps3cret']
    const entries = [
      ...(await entriesOf(async () => {
        const { secret } = await setWebhookEndpoint(setting, ada, {
          tenantId: merchantId,
          url: url.replace('user:hunter2@', ''),
        })
        if (secret !== null) secrets.push(secret)
      })),
      ...(await entriesOf(async () =>
        secrets.push(
          await rotateWebhookSecret(setting, ada, { tenantId: merchantId, overlapHours: 24 }),
        ),
      )),
      ...(await entriesOf(() =>
        recoverDeliveries(deps, ada, { tenantId: merchantId, since: clock.now() }),
      )),
      ...(await entriesOf(() => retryDeadLetters(deps, ada))),
    ]
    assert.deepEqual(
      entries.map((entry) => entry.split(' ')[1]),
      ['webhook.set_endpoint', 'webhook.rotate_secret', 'webhook.recover', 'webhook.retry_parked'],
    )
    assert.match(entries[0] ?? '', /https:\/\/hooks\.example\.com\/tradepost"/)
    assert.equal(secrets.length, 4)
    for (const secret of secrets) assert.ok(!entries.join().includes(secret))
  })
})

describe('an act that does not happen leaves no entry', () => {
  it('because it is refused', async () => {
    const order = { accountId: newId(), tier: 'premium' } as const
    const refused = () => assert.rejects(changeTier(deps, ada, order), /USER_NOT_FOUND/)
    assert.deepEqual(await entriesOf(refused), [])
    const { id: other } = await aMerchant(database.db)
    const setting = settingDeps({ allowPrivate: false })
    const forbidden = () =>
      assert.rejects(
        setWebhookEndpoint(setting, ada, {
          ...{ tenantId: other, url: 'http://127.0.0.1/' },
        }),
        /VALIDATION_FAILED/,
      )
    assert.deepEqual(await entriesOf(forbidden), [])
    assert.equal(await findEndpoint(database.db, other), null)
  })

  it('and an entry that cannot be written takes the act back', async () => {
    const unnamed: Actor = { ...ada, id: '' }
    const readOnline = async () =>
      database.db.query(sql('test.enabled', 'select enabled from catalog.market order by id'))
    const before = await readOnline()
    const off = { market: 'market_b', enabled: false, reason: null } as const
    await assert.rejects(switchMarket(deps, unnamed, off), /entry_actor_named/)
    await assert.rejects(pauseTrading(deps, unnamed, 'without an actor'), /entry_actor_named/)
    assert.deepEqual(await readOnline(), before)
    assert.equal(await createPauseReader(database.db, clock)(), false)
  })
})
