// What every on-ramp must do, whatever its protocol.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closedGuards } from '#infra/testing/open-guard'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import type { NewOnrampOrder, OnrampOrder, OnrampProvider } from '#ports/deposits'
import { CONTEXT, type DepositEnvironment, inAMinute, read, registerNotices } from './deposits.ts'
import { eventually } from './environment.ts'

export interface OnrampUnderTest {
  readonly onramp: OnrampProvider
  readonly astray: OnrampProvider
  readonly environment: DepositEnvironment
}

export function registerOnramp(subject: () => OnrampUnderTest): void {
  const order = (): NewOnrampOrder => ({
    orderId: newId(),
    payCurrency: 'USD',
    pay: 10_000n,
    receiveUsd: cents(9_500n),
    redirectUrl: 'https://shop.example/back',
    coin: null,
    paymentMethod: 'instant',
    expiresAt: inAMinute(),
  })
  const create = async (wanted: NewOnrampOrder) => {
    const answer = await subject().onramp.createSession(wanted, CONTEXT)
    assert.equal(answer.kind, 'created', JSON.stringify(answer))
    assert.ok(answer.kind === 'created')
    return answer.order
  }
  /** Its payer opens the page. */
  const begin = async (wanted: NewOnrampOrder) => {
    const { widgetUrl } = await create(wanted)
    assert.equal((await fetch(widgetUrl)).status, 200)
  }
  const find = async (orderId: string): Promise<OnrampOrder> => {
    const found = read(await subject().onramp.findOrder({ orderId }, CONTEXT))
    assert.ok(found !== 'absent')
    return found
  }
  const quoted = (amount: Parameters<OnrampProvider['quote']>[0]['amount'], more = {}) =>
    subject().onramp.quote(
      { amount, payCurrency: 'EUR', countryCode: null, coin: null, ...more },
      CONTEXT,
    )

  test('a quote by what is paid and one by what arrives agree', async () => {
    const paid = read(await quoted({ pay: 10_000n }))
    assert.ok(typeof paid === 'object')
    assert.ok(paid.fee > 0n && paid.receiveUsd > 9_000n)
    const wanted = read(await quoted({ receiveUsd: paid.receiveUsd }))
    assert.ok(typeof wanted === 'object')
    assert.ok(wanted.receiveUsd >= paid.receiveUsd && wanted.pay <= paid.pay + 2n)
  })

  test('an amount, a country and a chain that are not served are refusals', async () => {
    assert.equal(read(await quoted({ pay: 100n })), 'amount_out_of_range')
    assert.equal(read(await quoted({ pay: 9_999_999n })), 'amount_out_of_range')
    assert.equal(read(await quoted({ pay: 10_000n }, { countryCode: 'KP' })), 'country_unsupported')
    const coin = { coinCode: 'usdt', network: 'trc20' } as const
    assert.equal(read(await quoted({ pay: 10_000n }, { coin })), 'chain_unsupported')
  })

  test('a session has a page, and is completed with the tokens that were sent', async () => {
    const wanted = order()
    const { widgetUrl } = await create(wanted)
    assert.equal(read(await subject().onramp.findOrder(wanted, CONTEXT)), 'absent')
    const page = await fetch(widgetUrl)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /100\.00 USD/)
    const begun = await find(wanted.orderId)
    assert.equal(begun.state, 'created')
    // Opened again, it is the same order.
    await fetch(widgetUrl)
    assert.deepEqual(await find(wanted.orderId), begun)
    await subject().environment.act(wanted.orderId, 'complete', { amount: '94.10' })
    const { state, payments } = await find(wanted.orderId)
    assert.equal(state, 'completed')
    const [payment] = payments
    assert.deepEqual([payment?.amountToken, payment?.token], ['94.1', 'USDT'])
    const from = new Date(Date.now() - 60_000)
    const window = { from, until: new Date(Date.now() + 60_000) }
    const statement = read(await subject().onramp.readStatement(window, CONTEXT))
    const line = statement
      .filter((one) => one.kind !== 'other')
      .find(({ ref }) => ref === payment?.settlementRef)
    assert.deepEqual([line?.orderId, line?.amountToken], [wanted.orderId, '94.1'])
  })

  for (const state of ['amount_mismatch', 'name_mismatch', 'abandoned', 'timed_out'] as const) {
    test(`an order that ends by ${state} has no payment`, async () => {
      const wanted = order()
      await begin(wanted)
      await subject().environment.act(wanted.orderId, 'fail', { reason: state })
      const ended = await find(wanted.orderId)
      assert.deepEqual([ended.state, ended.payments], [state, []])
    })
  }

  test('what arrived at another wallet than ours is no payment', async () => {
    const wanted = order()
    await begin(wanted)
    await subject().environment.act(wanted.orderId, 'complete')
    await subject().environment.script('other_wallet')
    const elsewhere = await find(wanted.orderId)
    assert.deepEqual([elsewhere.state, elsewhere.payments], ['failed', []])
    assert.equal((await find(wanted.orderId)).payments.length, 1)
  })

  test('two orders under one id are two payments, each with a reference of its own', async () => {
    const wanted = order()
    await begin(wanted)
    await subject().environment.act(wanted.orderId, 'complete')
    await subject().environment.act(wanted.orderId, 'again')
    assert.equal((await find(wanted.orderId)).state, 'completed')
    await subject().environment.act(wanted.orderId, 'complete')
    const { payments } = await find(wanted.orderId)
    assert.equal(new Set(payments.map(({ settlementRef }) => settlementRef)).size, 2)
  })

  test('a session needs no answer: it is opened while the provider is away, and absent until its payer begins', async () => {
    const { environment, astray } = subject()
    await environment.setOnline(false)
    const wanted = order()
    try {
      const { widgetUrl } = await create(wanted)
      const away = await astray.createSession(wanted, CONTEXT)
      assert.ok(away.kind === 'created')
      assert.equal(new URL(away.order.widgetUrl).search, new URL(widgetUrl).search)
    } finally {
      await environment.setOnline(true)
    }
    await eventually('it is absent', async () => {
      const found = await subject().onramp.findOrder({ orderId: wanted.orderId }, CONTEXT)
      return found.kind === 'read' && found.value === 'absent'
    })
  })

  test('the page of another application, wallet, coin or amount is refused to its reader', async () => {
    const { widgetUrl } = await create(order())
    for (const [name, value] of [
      ['appId', '3'],
      ['walletAddress', ''],
      ['coinCode', 'btc'],
      ['network', 'trc20'],
      ['fiatAmount', '100.005'],
      ['fiatAmount', '1'],
      ['redirectUrl', 'javascript:alert(1)'],
    ] as const) {
      const changed = new URL(widgetUrl)
      changed.searchParams.set(name, value)
      const page = await fetch(changed)
      assert.equal(page.status, 400, name)
      assert.match(await page.text(), /This payment cannot be made/)
    }
  })

  test('the history of another application is passed over, and a payment that names no order is of none', async () => {
    const { onramp, environment } = subject()
    const { widgetUrl } = await create(order())
    const open = async (name: string, value: string): Promise<string> => {
      const changed = new URL(widgetUrl)
      changed.searchParams.set(name, value)
      changed.searchParams.set('fiatAmount', '77')
      const text = await (await fetch(changed)).text()
      const [, id = ''] = /<dt>Order<\/dt><dd>(\d+)</.exec(text) ?? []
      await environment.act(id, 'complete')
      return id
    }
    const unnamed = await open('merchantRecognitionId', '')
    const foreign = await open('appId', '2')
    const window = { from: new Date(Date.now() - 60_000), until: inAMinute() }
    const lines = read(await onramp.readStatement(window, CONTEXT)).filter(
      (line) => line.kind !== 'other',
    )
    const ofOrder = (id: string) => lines.filter(({ providerOrderId }) => providerOrderId === id)
    assert.deepEqual(
      ofOrder(unnamed).map(({ orderId, kind }) => [orderId, kind]),
      [[null, 'payment']],
    )
    assert.deepEqual(ofOrder(foreign), [])
  })

  test('no session is opened under a guard that has lost its lease', async () => {
    const [guard] = closedGuards
    assert.ok(guard)
    const answer = await subject().onramp.createSession(order(), { ...CONTEXT, guard })
    assert.equal(answer.kind, 'not-sent')
  })

  test('false figures and failed look-ups are not read', async () => {
    const wanted = order()
    await begin(wanted)
    await subject().environment.act(wanted.orderId, 'complete')
    for (const word of [
      'false_amount:1e30',
      'false_amount:-1',
      'false_amount:0',
      'false_amount:99999999999',
      'query_http_500',
      'query_lost_reply',
    ]) {
      await subject().environment.script(word)
      const answer = await subject().onramp.findOrder({ orderId: wanted.orderId }, CONTEXT)
      assert.equal(answer.kind, 'unavailable', word)
    }
  })

  test('the configuration is read through and kept', async () => {
    const { onramp, environment, astray } = subject()
    const mapping = read(await onramp.configuration('allConfigMapping', CONTEXT))
    assert.deepEqual(mapping.fiatSymbolMapping, { EUR: 12, GBP: 20, USD: 21 })
    assert.ok('onramp' in read(await onramp.configuration('limitsMapping', CONTEXT)))
    assert.ok('DE' in read(await onramp.configuration('allCountryConfig', CONTEXT)))
    assert.equal((await astray.configuration('limitsMapping', CONTEXT)).kind, 'unavailable')
    await environment.setOnline(false)
    assert.deepEqual(read(await onramp.configuration('allConfigMapping', CONTEXT)), mapping)
    assert.equal((await quoted({ pay: 10_000n })).kind, 'unavailable')
    await environment.setOnline(true)
    await eventually(
      'the breaker closes',
      async () => (await quoted({ pay: 10_000n })).kind === 'read',
    )
  })

  registerNotices(
    () => subject().onramp,
    async () => {
      const wanted = order()
      await begin(wanted)
      await subject().environment.act(wanted.orderId, 'complete')
      return { ...(await subject().environment.notice(wanted.orderId)), orderId: wanted.orderId }
    },
    { isBodySigned: false },
  )
}
