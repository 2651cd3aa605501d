import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readExposure, refreshRate } from '#fx'
import { changeKey, listKeys } from '#identity'
import { assertDefined } from '#kernel/assert'
import { newId } from '#kernel/id'
import { type Currency, cents } from '#kernel/money'
import { startAccountServer } from '../testing/account-server.ts'
import { type Client, give, merchantWithKey, useServer } from '../testing/merchant-server.ts'

const edge = useServer(startAccountServer, { poolSize: 20 })

const setRate = (usdPerEurMicros: bigint, asOf: string): Promise<unknown> =>
  refreshRate({
    db: edge.db,
    clock: edge.server.clock,
    source: { fetch: async () => ({ usdPerEurMicros, asOf }) },
  })

const key = (text = newId()) => ({ 'idempotency-key': text })

const balanceOf = async (client: Client, reference?: string): Promise<number> =>
  (await client.get('/user/wallet', reference ? { 'on-behalf-of': reference } : {})).data.balance

async function fundedMerchant(
  balance: bigint,
  currencies: { merchant?: Currency; subUser?: Currency } = {},
): Promise<Client> {
  const merchant = await merchantWithKey(edge.db, {
    currency: currencies.merchant ?? 'USD',
    balance,
  })
  const client = edge.server.as(merchant.key)
  const body = { externalId: 'u1', ...(currencies.subUser && { currency: currencies.subUser }) }
  await client.post('/merchant/users', body)
  return client
}

describe('POST /merchant/users/{id}/fund', () => {
  it('moves money and shows it in both ledgers under one id', async () => {
    const client = await fundedMerchant(10_000n)
    const { status, data } = await client.post('/merchant/users/u1/fund', { amount: '5.5' }, key())
    assert.equal(status, 200)
    assert.equal(data.idempotent, false)
    assert.deepEqual([await balanceOf(client), await balanceOf(client, 'u1')], [94.5, 5.5])
    const [mine] = (await client.get('/merchant/ledger')).data.items
    const [theirs] = (await client.get('/merchant/users/u1/ledger')).data.items
    const [own] = (await client.get('/user/wallet/ledger', { 'on-behalf-of': 'u1' })).data.items
    assert.deepEqual([mine.id, mine.type, mine.amount], [data.transactionId, 'fund_out', -5.5])
    assert.deepEqual([theirs.id, theirs.type, theirs.amount], [data.transactionId, 'fund_in', 5.5])
    assert.deepEqual(own, theirs)
  })

  it('a replay answers the first, also when it names the sub-user and the amount otherwise', async () => {
    const client = await fundedMerchant(10_000n)
    const { data: subUser } = await client.get('/merchant/users/u1')
    const first = await client.post('/merchant/users/u1/fund', { amount: '5.50' }, key('k'))
    const again = await client.post(
      `/merchant/users/${subUser.id}/fund`,
      { amount: '5.5' },
      key('k'),
    )
    assert.equal(again.status, first.status)
    assert.deepEqual(again.data, { ...first.data, idempotent: true })
    assert.equal(await balanceOf(client, 'u1'), 5.5)
  })

  it('a key outside ASCII has 128 characters at most, and is shown as it was written', async () => {
    const client = await fundedMerchant(10_000n)
    // As clients send it: the bytes of UTF-8.
    const fund = (text: string) => {
      const sent = key(Buffer.from(text).toString('latin1'))
      return client.post('/merchant/users/u1/fund', { amount: '1' }, sent)
    }
    assert.equal((await fund('é'.repeat(128))).status, 200)
    assert.equal((await fund('é'.repeat(129))).status, 422)
    const [entry] = (await client.get('/merchant/ledger')).data.items
    assert.equal(entry.externalRef, 'é'.repeat(128))
  })

  it('of 32 identical ones at once one moves money', async () => {
    const client = await fundedMerchant(10_000n)
    const answers = await Promise.all(
      Array.from({ length: 32 }, () =>
        client.post('/merchant/users/u1/fund', { amount: '60' }, key('k')),
      ),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(answers.map(({ data }) => data.transactionId)).size, 1)
    assert.equal(answers.filter(({ data }) => !data.idempotent).length, 1)
    assert.deepEqual([await balanceOf(client), await balanceOf(client, 'u1')], [40, 60])
  })

  it('409: another body under the key is IDEMPOTENCY_CONFLICT', async () => {
    const client = await fundedMerchant(10_000n)
    await client.post('/merchant/users', { externalId: 'u2' })
    await client.post('/merchant/users/u1/fund', { amount: '5' }, key('k'))
    for (const [user, amount] of [
      ['u1', '5.01'],
      ['u2', '5'],
    ]) {
      const { status, key: refusal } = await client.post(
        `/merchant/users/${user}/fund`,
        { amount },
        key('k'),
      )
      assert.deepEqual([status, refusal], [409, 'IDEMPOTENCY_CONFLICT'])
    }
    assert.equal(await balanceOf(client, 'u2'), 0)
  })

  it('402: more than there is, is INSUFFICIENT_BALANCE with both sums, and the key stays free', async () => {
    const client = await fundedMerchant(1000n)
    const refused = await client.post('/merchant/users/u1/fund', { amount: '10.01' }, key('k'))
    assert.deepEqual([refused.status, refused.key], [402, 'INSUFFICIENT_BALANCE'])
    assert.deepEqual(refused.meta, { requiredCents: 1001, availableCents: 1000 })
    const { status } = await client.post('/merchant/users/u1/fund', { amount: '10' }, key('k'))
    assert.equal(status, 200)
  })

  it('422: an amount that is none, or zero, is VALIDATION_FAILED', async () => {
    const client = await fundedMerchant(1000n)
    for (const amount of [
      '0',
      '0.00',
      '-1',
      '1e2',
      '1.001',
      '01',
      '.5',
      '',
      '1234567890',
      1,
      null,
    ]) {
      for (const path of [
        '/merchant/users/u1/fund',
        '/merchant/users/u1/defund',
        '/merchant/earnings/transfer',
      ]) {
        const { status, key: refusal } = await client.post(path, { amount }, key())
        assert.deepEqual([status, refusal], [422, 'VALIDATION_FAILED'], `${path} ${amount}`)
      }
    }
  })

  it('400: without a key is BAD_REQUEST, with one over 128 characters VALIDATION_FAILED', async () => {
    const client = await fundedMerchant(1000n)
    for (const path of [
      '/merchant/users/u1/fund',
      '/merchant/users/u1/defund',
      '/merchant/earnings/transfer',
    ]) {
      const missing = await client.post(path, { amount: '1' })
      assert.deepEqual([missing.status, missing.key], [400, 'BAD_REQUEST'])
      const long = await client.post(path, { amount: '1' }, key('k'.repeat(129)))
      assert.deepEqual([long.status, long.key], [422, 'VALIDATION_FAILED'])
    }
    assert.equal(
      (await client.post('/merchant/users/u1/fund', { amount: '1' }, key('k'.repeat(128)))).status,
      200,
    )
  })
})

describe('POST /merchant/users/{id}/defund', () => {
  it('takes it back; a fund’s key is another one', async () => {
    const client = await fundedMerchant(1000n)
    await client.post('/merchant/users/u1/fund', { amount: '10' }, key('k'))
    const { status, data } = await client.post(
      '/merchant/users/u1/defund',
      { amount: '4' },
      key('k'),
    )
    assert.deepEqual([status, data.idempotent], [200, false])
    assert.deepEqual([await balanceOf(client), await balanceOf(client, 'u1')], [4, 6])
    const [row] = (await client.get('/merchant/users/u1/ledger?type=fund_out')).data.items
    assert.deepEqual([row.id, row.amount], [data.transactionId, -4])
  })

  it('402: more than the sub-user has is INSUFFICIENT_BALANCE', async () => {
    const client = await fundedMerchant(1000n)
    await client.post('/merchant/users/u1/fund', { amount: '1' }, key())
    const { key: refusal, meta } = await client.post(
      '/merchant/users/u1/defund',
      { amount: '1.01' },
      key(),
    )
    assert.equal(refusal, 'INSUFFICIENT_BALANCE')
    assert.deepEqual(meta, { requiredCents: 101, availableCents: 100 })
  })
})

describe('funding in another currency', () => {
  it('converts at the rate of now: down when it is given, up when it is taken back', async () => {
    await setRate(1_157_400n, '2026-11-20')
    edge.server.clock.advance(5000)
    const client = await fundedMerchant(10_000n, { subUser: 'EUR' })
    await client.post('/merchant/users/u1/fund', { amount: '100' }, key())
    // 100.00 / 1.1574, less half a percent = 85.9685
    assert.deepEqual([await balanceOf(client), await balanceOf(client, 'u1')], [0, 85.96])
    await client.post('/merchant/users/u1/defund', { amount: '50' }, key())
    // 50.00 / 1.1574, plus half a percent = 43.4163
    assert.deepEqual([await balanceOf(client), await balanceOf(client, 'u1')], [50, 42.54])
  })

  it('works from euros too', async () => {
    const client = await fundedMerchant(1000n, { merchant: 'EUR', subUser: 'USD' })
    await client.post('/merchant/users/u1/fund', { amount: '10' }, key())
    // 10.00 * 1.1574, less half a percent = 11.5161
    assert.equal(await balanceOf(client, 'u1'), 11.51)
  })

  it('422: what would arrive as nothing is VALIDATION_FAILED', async () => {
    const client = await fundedMerchant(1000n, { subUser: 'EUR' })
    const { key: refusal } = await client.post('/merchant/users/u1/fund', { amount: '0.01' }, key())
    assert.equal(refusal, 'VALIDATION_FAILED')
    assert.equal(await balanceOf(client), 10)
  })

  it('503: without a fresh rate is SERVICE_DISABLED, except for replays; dollars go on', async () => {
    const client = await fundedMerchant(10_000n, { subUser: 'EUR' })
    const first = await client.post('/merchant/users/u1/fund', { amount: '10' }, key('k'))
    assert.equal(first.status, 200)
    edge.server.clock.advance(8 * 86_400_000)
    const again = await client.post('/merchant/users/u1/fund', { amount: '10' }, key('k'))
    assert.deepEqual(again.data, { ...first.data, idempotent: true })
    const conflict = await client.post('/merchant/users/u1/fund', { amount: '11' }, key('k'))
    assert.equal(conflict.key, 'IDEMPOTENCY_CONFLICT')
    const refused = await client.post('/merchant/users/u1/fund', { amount: '10' }, key())
    assert.deepEqual([refused.status, refused.key], [503, 'SERVICE_DISABLED'])
    const dollars = await fundedMerchant(10_000n)
    assert.equal(
      (await dollars.post('/merchant/users/u1/fund', { amount: '10' }, key())).status,
      200,
    )
  })
})

it('503: a funding in euros that counts under a limit needs a fresh rate, and its replay needs none', async () => {
  const { db, server } = edge
  await setRate(1_157_400n, server.clock.now().toISOString().slice(0, 10))
  server.clock.advance(5000)
  const merchant = await merchantWithKey(db, { currency: 'EUR', balance: 10_000n })
  const client = server.as(merchant.key)
  await client.post('/merchant/users', { externalId: 'u1' })
  const [stored] = await listKeys(db, merchant.id)
  const { id } = assertDefined(stored, 'key')
  const spendLimit = { amountCents: cents(100_000n), window: 'month' } as const
  await db.transaction((tx) => changeKey(tx, id, { spendLimit }, server.clock.now()))
  const fund = (text?: string) =>
    client.post('/merchant/users/u1/fund', { amount: '10' }, key(text))
  const first = await fund('k')
  assert.equal(first.status, 200)
  server.clock.advance(8 * 86_400_000)
  assert.deepEqual((await fund('k')).data, { ...first.data, idempotent: true })
  const refused = await fund()
  assert.deepEqual([refused.status, refused.key], [503, 'SERVICE_DISABLED'])
})

describe('a fund or defund between currencies', () => {
  const DAY_MS = 86_400_000
  const today = (): string => edge.server.clock.now().toISOString().slice(0, 10)
  /** Processes remember a rate for five seconds. */
  const setRateOfToday = async (usdPerEurMicros: bigint): Promise<void> => {
    await setRate(usdPerEurMicros, today())
    edge.server.clock.advance(5000)
  }

  it('503: is refused on a rate older than three days, in both directions', async () => {
    await setRateOfToday(1_157_400n)
    const client = await fundedMerchant(10_000n, { subUser: 'EUR' })
    await client.post('/merchant/users/u1/fund', { amount: '10' }, key())
    edge.server.clock.advance(3 * DAY_MS)
    assert.equal((await client.post('/merchant/users/u1/fund', { amount: '1' }, key())).status, 200)
    edge.server.clock.advance(DAY_MS)
    for (const direction of ['fund', 'defund']) {
      const path = `/merchant/users/u1/${direction}`
      const { status, key: refusal } = await client.post(path, { amount: '1' }, key())
      assert.deepEqual([status, refusal], [503, 'SERVICE_DISABLED'])
    }
  })

  it('503: beyond the limit of the exposure is refused, also of 20 at once, and what lowers it passes', async () => {
    await setRateOfToday(1_157_400n)
    const [first, client] = [
      await fundedMerchant(1_000_000n, { subUser: 'EUR' }),
      await fundedMerchant(1_000_000n, { subUser: 'EUR' }),
    ]
    // The limit of this server is 1,000.00 USD, and one merchant's part 500.00; other tests have
    // converted before.
    const used = assertDefined(await readExposure(edge.db), 'exposure')
    await first.post('/merchant/users/u1/fund', { amount: '480' }, key())
    const rest = Number(50_000n - used) / 100
    const { status } = await client.post(
      '/merchant/users/u1/fund',
      { amount: rest.toFixed(2) },
      key(),
    )
    assert.equal(status, 200)
    const attempts = Array.from({ length: 20 }, () =>
      first.post('/merchant/users/u1/fund', { amount: '1' }, key()),
    )
    attempts.push(
      ...Array.from({ length: 20 }, () =>
        client.post('/merchant/users/u1/fund', { amount: '4' }, key()),
      ),
    )
    const answers = await Promise.all(attempts)
    const refusals = new Set(answers.map(({ key: refusal }) => refusal).filter(Boolean))
    assert.deepEqual([...refusals], ['SERVICE_DISABLED'])
    assert.ok(assertDefined(await readExposure(edge.db), 'exposure') <= 100_000n)
    const passed = answers.slice(20).filter((answer) => answer.status === 200).length
    const left = 10_000 - rest - 4 * passed
    assert.equal(await balanceOf(client), Math.round(left * 100) / 100)
    const defund = await client.post('/merchant/users/u1/defund', { amount: '5' }, key())
    assert.equal(defund.status, 200)
    const fund = await client.post('/merchant/users/u1/fund', { amount: '1' }, key())
    assert.equal(fund.status, 200)
    await client.post('/merchant/users/u1/defund', { amount: (rest - 10).toFixed(2) }, key())
    await first.post('/merchant/users/u1/defund', { amount: '470' }, key())
  })

  it('503: one merchant takes no more of the limit than its share, and the others convert on', async () => {
    await setRateOfToday(1_157_400n)
    const [greedy, other] = [
      await fundedMerchant(1_000_000n, { subUser: 'EUR' }),
      await fundedMerchant(1_000_000n, { subUser: 'EUR' }),
    ]
    const amounts = ['400', '90', '60', '60']
    const answers = []
    for (const amount of amounts) {
      answers.push(await greedy.post('/merchant/users/u1/fund', { amount }, key()))
    }
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 503, 503],
    )
    assert.equal(answers[3]?.key, 'SERVICE_DISABLED')
    const fund = await other.post('/merchant/users/u1/fund', { amount: '200' }, key())
    assert.equal(fund.status, 200)
    // What lowers the exposure makes room for as much again.
    const defund = await greedy.post('/merchant/users/u1/defund', { amount: '100' }, key())
    assert.equal(defund.status, 200)
    const again = await greedy.post('/merchant/users/u1/fund', { amount: '60' }, key())
    assert.equal(again.status, 200)
    await greedy.post('/merchant/users/u1/defund', { amount: '430' }, key())
    await other.post('/merchant/users/u1/defund', { amount: '190' }, key())
  })

  it('gains no more than the rates moved what was held, less the spread of each conversion', async () => {
    // In units of 10^-10 US cents: a rate has six places and a spread four, so the test rounds nothing.
    const UNIT = 10n ** 10n
    const centsOf = (amount: number): bigint => BigInt(Math.round(amount * 100))
    const worthOf = async (client: Client, micros: bigint): Promise<bigint> => {
      const dollars = centsOf(await balanceOf(client))
      const euros = centsOf(await balanceOf(client, 'u1'))
      return dollars * UNIT + (euros * micros * UNIT) / 1_000_000n
    }
    const anyStep = fc.record({
      direction: fc.constantFrom('fund', 'defund'),
      amount: fc.integer({ min: 1, max: 8000 }),
      moveBps: fc.integer({ min: -900, max: 900 }),
    })
    let micros = 1_157_400n
    const moveRate = async (moveBps: number): Promise<void> => {
      const moved = (micros * BigInt(10_000 + moveBps)) / 10_000n
      if (moved >= 600_000n && moved <= 1_900_000n) micros = moved
      edge.server.clock.advance(DAY_MS)
      await setRateOfToday(micros)
    }
    const property = fc.asyncProperty(
      fc.array(anyStep, { minLength: 2, maxLength: 12 }),
      async (steps) => {
        const client = await fundedMerchant(20_000n, { subUser: 'EUR' })
        let allowed = await worthOf(client, micros)
        for (const { direction, amount, moveBps } of steps) {
          const before = await worthOf(client, micros)
          await moveRate(moveBps)
          allowed += (await worthOf(client, micros)) - before
          const path = `/merchant/users/u1/${direction}`
          const body = { amount: (amount / 100).toFixed(2) }
          const { status } = await client.post(path, body, key())
          if (status === 200) allowed -= (BigInt(amount) * 50n * UNIT) / 10_000n
          assert.ok((await worthOf(client, micros)) <= allowed)
        }
      },
    )
    await fc.assert(property, { numRuns: 25 })
  })
})

describe('POST /merchant/earnings/transfer', () => {
  it('moves earnings to spot, once for a key', async () => {
    const merchant = await merchantWithKey(edge.db)
    await give(edge.db, merchant, cents(1000n), 'earnings')
    const client = edge.server.as(merchant.key)
    const first = await client.post('/merchant/earnings/transfer', { amount: '4' }, key('k'))
    const again = await client.post('/merchant/earnings/transfer', { amount: '4' }, key('k'))
    assert.deepEqual(again.data, { ...first.data, idempotent: true })
    const { data } = await client.get('/merchant')
    assert.deepEqual([data.wallets.spot.balance, data.wallets.earnings.balance], [4, 6])
    const [spot] = (await client.get('/merchant/ledger')).data.items
    const [earned] = (await client.get('/merchant/ledger?walletType=earnings')).data.items
    assert.deepEqual([spot.type, spot.amount], ['transfer_in', 4])
    assert.deepEqual([earned.type, earned.amount], ['transfer_out', -4])
    const refused = await client.post('/merchant/earnings/transfer', { amount: '6.01' }, key())
    assert.equal(refused.key, 'INSUFFICIENT_BALANCE')
  })
})

describe('ledgers', () => {
  it('page by cursor and filter', async () => {
    const client = await fundedMerchant(10_000n)
    for (let i = 1; i <= 5; i++) {
      await client.post('/merchant/users/u1/fund', { amount: `${i}` }, key())
    }
    const amounts: number[] = []
    let query = '?limit=2'
    for (;;) {
      const { data } = await client.get(`/merchant/users/u1/ledger${query}`)
      amounts.push(...data.items.map((item: { amount: number }) => item.amount))
      if (data.nextCursor === null) break
      assert.equal(data.nextCursor, data.items.at(-1).id)
      query = `?limit=2&cursor=${data.nextCursor}`
    }
    assert.deepEqual(amounts, [5, 4, 3, 2, 1])
    const none = await client.get('/merchant/ledger?type=trade_payment&status=posted')
    assert.deepEqual(none.data, { items: [], nextCursor: null })
  })

  it('422: refuse filters and cursors that are none', async () => {
    const client = await fundedMerchant(100n)
    for (const query of [
      'type=gift',
      'status=gone',
      'from=now',
      'cursor=abc',
      `cursor=${newId()}`,
      'limit=0',
      'walletType=escrow',
      'x=1',
    ]) {
      const { status, key: refusal } = await client.get(`/merchant/ledger?${query}`)
      assert.deepEqual([status, refusal], [422, 'VALIDATION_FAILED'], query)
    }
    // Only the merchant has a choice of wallets.
    const { key: refusal } = await client.get('/user/wallet/ledger?walletType=spot')
    assert.equal(refusal, 'VALIDATION_FAILED')
  })
})
