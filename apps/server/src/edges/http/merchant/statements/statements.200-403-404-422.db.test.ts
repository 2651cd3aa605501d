import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cents } from '#kernel/money'
import { credit } from '../../../../modules/money/ledger/testing/wallets.ts'
import { startAccountServer } from '../testing/account-server.ts'
import { merchantWithKey, START, useServer } from '../testing/merchant-server.ts'

const edge = useServer(startAccountServer)

const RUNNING = START.toISOString().slice(0, 7)
const PATH = '/merchant/statements'
const NO_FEES = { house: 0, merchant: 0 }
const nothingIn = (wallet: 'spot' | 'earnings') => ({
  ...{ wallet, currency: 'USD', opening: 0, closing: 0, rows: [], fees: NO_FEES },
})

async function aMerchant() {
  const { id, key } = await merchantWithKey(edge.db)
  const pay = (amount: bigint, at: Date) =>
    credit(edge.db, { id, currency: 'USD' }, cents(amount), { at })
  return { client: edge.server.as(key), pay }
}

describe('GET /merchant/statements', () => {
  it('200: the running month is open, and says what has moved so far in the merchant’s own wallets', async () => {
    const { client, pay } = await aMerchant()
    await pay(10_050n, START)
    const user = { externalId: 'u1' }
    await client.post('/merchant/users', user)
    const funded = await client.post(
      '/merchant/users/u1/fund',
      { amount: '25.50' },
      { 'idempotency-key': 'fund-1' },
    )
    assert.equal(funded.status, 200)
    const { status, data } = await client.get(PATH)
    assert.equal(status, 200)
    const rows = [
      { type: 'deposit_credit', count: 1, credit: 100.5, debit: 0 },
      { type: 'fund_out', count: 1, credit: 0, debit: 25.5 },
    ]
    const spot = { ...nothingIn('spot'), closing: 75, rows }
    const wallets = [spot, nothingIn('earnings')]
    assert.deepEqual(data, { month: RUNNING, number: null, closed: false, wallets })
    assert.deepEqual((await client.get(`${PATH}?month=${RUNNING}`)).data, data)
    const ofUser = await client.get(`${PATH}?subUserId=u1`)
    const fundIn = { type: 'fund_in', count: 1, credit: 25.5, debit: 0 }
    assert.deepEqual(ofUser.data.wallets, [{ ...nothingIn('spot'), closing: 25.5, rows: [fundIn] }])
  })

  it('200: a month that is over is numbered, and what is posted later under its time is in the running one', async () => {
    const { client, pay } = await aMerchant()
    const before = new Date('2026-09-10T12:00:00.000Z')
    await pay(1000n, before)
    const first = await client.get(`${PATH}?month=2026-09`)
    assert.deepEqual([first.data.closed, first.data.number], [true, '2026-09-0001'])
    const second = await client.get(`${PATH}?month=2026-10`)
    assert.equal(second.data.number, '2026-10-0002')
    assert.deepEqual(second.data.wallets[0], { ...nothingIn('spot'), opening: 10, closing: 10 })
    await pay(500n, before)
    assert.deepEqual((await client.get(`${PATH}?month=2026-09`)).data, first.data)
    assert.deepEqual((await client.get(`${PATH}?month=2026-10`)).data, second.data)
    const { wallets } = (await client.get(PATH)).data
    assert.deepEqual([wallets[0].opening, wallets[0].closing], [10, 15])
  })

  it('200: many who read a month for the first time get one statement', async () => {
    const { client, pay } = await aMerchant()
    await pay(1000n, new Date('2026-08-31T23:59:59.999Z'))
    await pay(200n, new Date('2026-09-01T00:00:00.000Z'))
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.get(`${PATH}?month=2026-09`)),
    )
    for (const { data } of answers) {
      assert.equal(data.number, '2026-09-0002')
      assert.deepEqual([data.wallets[0].opening, data.wallets[0].closing], [10, 12])
    }
  })

  it('200: a month before the account existed is closed, with zeros', async () => {
    const { client } = await aMerchant()
    const { data } = await client.get(`${PATH}?month=1999-12`)
    const wallets = [nothingIn('spot'), nothingIn('earnings')]
    assert.deepEqual(data, { month: '1999-12', number: '1999-12-0000', closed: true, wallets })
  })

  it('403: is not for sub-users', async () => {
    const { client } = await aMerchant()
    await client.post('/merchant/users', { externalId: 'u1' })
    const { status, key } = await client.get(PATH, { 'on-behalf-of': 'u1' })
    assert.deepEqual([status, key], [403, 'FORBIDDEN'])
  })

  it('404: a sub-user of another merchant', async () => {
    const { client } = await aMerchant()
    const other = await aMerchant()
    const { data } = await other.client.post('/merchant/users', { externalId: 'theirs' })
    for (const reference of ['theirs', data.id]) {
      const { status, key } = await client.get(`${PATH}?subUserId=${reference}`)
      assert.deepEqual([status, key], [404, 'USER_NOT_FOUND'])
    }
  })

  it('422: a month that is none, or to come, and a field that is not known', async () => {
    const { client } = await aMerchant()
    for (const query of [
      ...['month=2026-12', 'month=9999-01', 'month=2026-13', 'month=2026-00', 'month=0000-01'],
      ...['month=2026-1', 'month=', 'month=2026-10-01', 'year=2026', `month=${'9'.repeat(65_000)}`],
      'month=2026-09&month=2026-10',
    ]) {
      const { status, key } = await client.get(`${PATH}?${query.slice(0, 8000)}`)
      assert.deepEqual([status, key], [422, 'VALIDATION_FAILED'], query.slice(0, 80))
    }
  })
})
