// What every payment gateway must do, whatever its protocol; and what its suite and that of on-ramps share.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closedGuards, openGuard } from '#infra/testing/open-guard'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import type {
  DepositCurrency,
  GatewayOrder,
  GuardedContext,
  NewGatewayOrder,
  NoticeHeaders,
  PaymentGateway,
  Read,
} from '#ports/deposits'
import { eventually } from './environment.ts'

/** What the suites change in the environment behind a provider. */
export interface DepositEnvironment {
  script(...words: readonly string[]): Promise<void>
  setOnline(online: boolean): Promise<void>
  /** A payer's act on the order with this id of ours. */
  act(orderId: string, verb: string, body?: unknown): Promise<void>
  /** The first notice about this order, as it arrived. */
  notice(orderId: string): Promise<{ readonly headers: NoticeHeaders; readonly body: Buffer }>
}

export interface GatewayEnvironment extends DepositEnvironment {
  /** Whether a look-up lists an order's payments, or their sum alone. */
  showPayments(areShown: boolean): Promise<void>
}

export interface GatewayUnderTest {
  readonly gateway: PaymentGateway
  /** The same provider with a deadline of 200 ms, and one that nothing listens to. */
  readonly impatient: PaymentGateway
  readonly astray: PaymentGateway
  readonly environment: GatewayEnvironment
}

export const CONTEXT: GuardedContext = { requestId: 'conformance', guard: openGuard }

export function read<T>(answer: Read<T>): T {
  assert.equal(answer.kind, 'read', JSON.stringify(answer, spell))
  return (answer as Extract<Read<T>, { kind: 'read' }>).value
}

const spell = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

export const inAMinute = (): Date => new Date(Date.now() + 60_000)

export function registerGateway(subject: () => GatewayUnderTest): void {
  const order = (currency: DepositCurrency = 'USDT', chain = 'TRX'): NewGatewayOrder => ({
    orderId: newId(),
    payAmount: currency === 'BTC' ? '0.002' : '100',
    expiresAt: inAMinute(),
    ...{ currency, chain },
  })
  const create = async (wanted: NewGatewayOrder, through = subject().gateway) => {
    const answer = await through.createOrder(wanted, CONTEXT)
    assert.equal(answer.kind, 'created', JSON.stringify(answer))
    assert.ok(answer.kind === 'created')
    return answer.order
  }
  const find = async (orderId: string): Promise<GatewayOrder> => {
    const found = read(await subject().gateway.findOrder({ orderId }, CONTEXT))
    assert.ok(found !== 'absent')
    return found
  }
  const settled = (orderId: string, payments: number) =>
    eventually('the payments are confirmed', async () => {
      const found = await find(orderId)
      return found.payments.length === payments && found
    })

  test('currencies come with their chains and minimums', async () => {
    const currencies = read(await subject().gateway.listCurrencies(CONTEXT))
    assert.deepEqual(
      currencies.filter(({ isStable }) => isStable).map(({ currency }) => currency),
      ['USDT', 'USDC', 'DAI'],
    )
    for (const { currency, chains, minDeposit } of currencies) {
      assert.ok(chains.length > 0, currency)
      assert.ok(minDeposit !== null && minDeposit >= 400n && minDeposit <= 700n, currency)
    }
  })

  test('a stable coin is quoted at one dollar, another at its price', async () => {
    const quote = async (currency: DepositCurrency) =>
      read(await subject().gateway.quote({ usd: cents(10_000n), currency }, CONTEXT))
    assert.equal((await quote('USDT')).usdPerTokenE18, 10n ** 18n)
    assert.equal((await quote('USDC')).usdPerTokenE18, 10n ** 18n)
    assert.ok((await quote('ETH')).usdPerTokenE18 > 1000n * 10n ** 18n)
  })

  test('an order is paid in parts, too much and after its end, and every payment is listed once', async () => {
    const { environment } = subject()
    const wanted = order()
    const placed = await create(wanted)
    assert.deepEqual([placed.payAmount, placed.address.fullCurrType], ['100', 'USDT_TRX'])
    const waiting = await find(wanted.orderId)
    assert.deepEqual([waiting.state, waiting.payments], ['waiting', []])
    assert.equal(waiting.prepayId, placed.prepayId)
    await environment.act(wanted.orderId, 'pay', { amount: '40.5' })
    const part = await settled(wanted.orderId, 1)
    assert.deepEqual([part.state, part.payments[0]?.amountToken], ['part_paid', '40.5'])
    await environment.act(wanted.orderId, 'pay', { amount: '80' })
    assert.equal((await settled(wanted.orderId, 2)).state, 'paid')
    await environment.act(wanted.orderId, 'pay', { amount: '1' })
    const all = await settled(wanted.orderId, 3)
    assert.equal(new Set(all.payments.map(({ settlementRef }) => settlementRef)).size, 3)

    const other = order()
    await create(other)
    const [first] = all.payments
    await environment.act(other.orderId, 'pay', { txId: first?.txHash ?? '' })
    const [shared] = (await settled(other.orderId, 1)).payments
    assert.equal(shared?.txHash, first?.txHash)
    assert.notEqual(shared?.settlementRef, first?.settlementRef)

    const window = { from: new Date(Date.now() - 3 * 86_400_000), until: inAMinute() }
    const statement = read(await subject().gateway.readStatement(window, CONTEXT))
    const movements = statement.filter((line) => line.kind !== 'other')
    assert.ok(movements.length < statement.length)
    for (const [placedFor, prepayId, payments] of [
      [wanted.orderId, placed.prepayId, all.payments],
      [other.orderId, (await find(other.orderId)).prepayId, [shared]],
    ] as const) {
      const lines = movements.filter(({ orderId }) => orderId === placedFor)
      assert.deepEqual(
        new Set(lines.map(({ providerOrderId }) => providerOrderId)),
        new Set([prepayId]),
      )
      const amounts = (list: readonly ({ amountToken: string } | undefined)[]) =>
        list.map((one) => one?.amountToken).sort()
      assert.deepEqual(amounts(lines), amounts(payments))
      const refs = new Set(payments.map((payment) => payment?.settlementRef))
      assert.ok(lines.every(({ ref }) => ref === null || refs.has(ref)))
    }
    const own = movements.filter(({ orderId }) => orderId === wanted.orderId)
    assert.deepEqual([own.length, own.filter(({ ref }) => ref === null).length], [3, 1])

    const late = order()
    await create(late)
    await environment.act(late.orderId, 'expire')
    assert.equal((await find(late.orderId)).state, 'expired')
    await environment.act(late.orderId, 'pay')
    const [payment] = (await settled(late.orderId, 1)).payments
    assert.deepEqual([payment?.amountToken, payment?.valueUsdMicros], ['100', null])
  })

  test('a converted order names its amount, and its payments their value', async () => {
    const wanted = order('BTC', 'BTC')
    const { payAmount } = await create(wanted)
    assert.ok(Math.abs(Number(payAmount) / 0.002 - 1) < 0.01, payAmount)
    await subject().environment.script('conversion_delay:2')
    await subject().environment.act(wanted.orderId, 'pay')
    await eventually('the conversion is late', async () => {
      const { state, payments } = await find(wanted.orderId)
      assert.ok(state !== 'conversion_delay' || payments.length === 0)
      return state === 'conversion_delay'
    })
    const { payments, state } = await settled(wanted.orderId, 1)
    assert.equal(state, 'paid')
    const value = Number(payments[0]?.valueUsdMicros) / 1e6
    assert.ok(value > 150 && value < 250, String(value))
  })

  for (const [word, state] of [
    ['payment_blocked', 'blocked'],
    ['exchange_failed', 'exchange_failed'],
  ] as const) {
    test(`an order that ends by ${word} is ${state} and has no payment`, async () => {
      const wanted = order('BTC', 'BTC')
      await create(wanted)
      await subject().environment.script(word)
      await subject().environment.act(wanted.orderId, 'pay')
      const ended = await eventually('the order ends', async () => {
        const found = await find(wanted.orderId)
        return found.state === state && found
      })
      assert.deepEqual(ended.payments, [])
    })
  }

  test('a closed order is cancelled, and refunds are listed with their state', async () => {
    const { environment, gateway } = subject()
    const wanted = order()
    await create(wanted)
    await gateway.closeOrder(wanted.orderId, CONTEXT)
    assert.equal((await find(wanted.orderId)).state, 'cancelled')
    await environment.act(wanted.orderId, 'pay')
    await settled(wanted.orderId, 1)
    await environment.act(wanted.orderId, 'refund', { amount: '10', state: 'rejected' })
    await environment.act(wanted.orderId, 'refund', { amount: '30' })
    const { refunds } = await find(wanted.orderId)
    assert.deepEqual(
      refunds.map(({ state, amountToken }) => [state, amountToken]),
      [
        ['rejected', '10'],
        ['refunded', '30'],
      ],
    )
  })

  test('an unknown order is absent, by either id', async () => {
    const { gateway } = subject()
    assert.equal(read(await gateway.findOrder({ orderId: newId() }, CONTEXT)), 'absent')
    assert.equal(read(await gateway.findOrder({ providerOrderId: '1' }, CONTEXT)), 'absent')
  })

  test('what is certainly not ordered is refused or not sent', async () => {
    const { gateway, environment, astray } = subject()
    const because = async (wanted: NewGatewayOrder) => {
      const answer = await gateway.createOrder(wanted, CONTEXT)
      return answer.kind === 'refused' ? answer.because : answer.kind
    }
    assert.equal(await because({ ...order(), chain: 'DOGE' }), 'chain_unsupported')
    assert.equal(await because({ ...order(), payAmount: '1' }), 'amount_out_of_range')
    await environment.script('429')
    assert.equal(await because(order()), 'not-sent')
    assert.equal((await astray.createOrder(order(), CONTEXT)).kind, 'not-sent')
  })

  test('nothing is ordered under a guard that has lost its lease, before the call or in its last moment', async () => {
    const { gateway } = subject()
    for (const guard of closedGuards) {
      const wanted = order()
      assert.equal((await gateway.createOrder(wanted, { ...CONTEXT, guard })).kind, 'not-sent')
      const key = { orderId: wanted.orderId }
      assert.equal(read(await gateway.findOrder(key, CONTEXT)), 'absent')
    }
  })

  for (const [word, isPlaced] of [
    ['lost_reply_placed', true],
    ['lost_reply_not_placed', false],
    ['http_500+placed', true],
    ['http_500', false],
    ['html_200+placed', true],
    ['html_200', false],
    ['reject:999999', false],
  ] as const) {
    test(`after "${word}" the order is unknown until a look-up ${isPlaced ? 'finds it' : 'misses it'}`, async () => {
      const wanted = order()
      await subject().environment.script(word)
      const answer = await subject().gateway.createOrder(wanted, CONTEXT)
      assert.equal(answer.kind, 'unknown')
      const key = { orderId: wanted.orderId }
      const found = read(await subject().gateway.findOrder(key, CONTEXT))
      assert.equal(found !== 'absent', isPlaced)
    })
  }

  test('an answer after the deadline, and a second create under one id, are unknown', async () => {
    const wanted = order()
    read(await subject().impatient.listCurrencies(CONTEXT))
    await subject().environment.script('slow:600')
    assert.equal((await subject().impatient.createOrder(wanted, CONTEXT)).kind, 'unknown')
    assert.equal((await find(wanted.orderId)).state, 'waiting')
    assert.equal((await subject().gateway.createOrder(wanted, CONTEXT)).kind, 'unknown')
  })

  test('payments that a look-up does not list are read in detail, with the same references', async () => {
    const { environment } = subject()
    const wanted = order()
    await create(wanted)
    await environment.act(wanted.orderId, 'pay', { amount: '40' })
    await environment.act(wanted.orderId, 'pay', { amount: '60' })
    const { payments } = await settled(wanted.orderId, 2)
    await environment.act(wanted.orderId, 'pay', { amount: '5' })
    await settled(wanted.orderId, 3)
    try {
      await environment.showPayments(false)
      const found = await find(wanted.orderId)
      assert.deepEqual([found.state, found.contradiction], ['paid', null])
      assert.deepEqual(found.payments.slice(0, 2), payments)
      assert.equal(found.payments.length, 3)
    } finally {
      await environment.showPayments(true)
    }
  })

  test('a false list or sum brings nothing, and one that stays false contradicts the order', async () => {
    const { environment } = subject()
    const wanted = order()
    await create(wanted)
    await environment.act(wanted.orderId, 'pay')
    const { payments } = await settled(wanted.orderId, 1)
    for (const word of ['false_total:1000000', 'false_payment:1000']) {
      await environment.script(word)
      assert.deepEqual((await find(wanted.orderId)).payments, payments, word)
    }
    await environment.script('false_total:1000000', 'false_total:1000000')
    const { contradiction } = await find(wanted.orderId)
    assert.equal(contradiction, '1000000 arrived, 100 listed, 100 in detail')
    assert.equal((await find(wanted.orderId)).contradiction, null)
  })

  test('figures that are none, and answers about another order, are not read', async () => {
    const wanted = order()
    await create(wanted)
    await subject().environment.act(wanted.orderId, 'pay')
    await settled(wanted.orderId, 1)
    for (const word of [
      'false_payment:-5',
      'false_payment:1e9',
      'other_order',
      'query_http_500',
      'query_lost_reply',
    ]) {
      await subject().environment.script(word)
      const answer = await subject().gateway.findOrder({ orderId: wanted.orderId }, CONTEXT)
      assert.equal(answer.kind, 'unavailable', word)
    }
    assert.equal((await find(wanted.orderId)).payments.length, 1)
  })

  test('a provider that is away is unavailable, and a create was not placed', async () => {
    const { environment, astray } = subject()
    assert.equal((await astray.listCurrencies(CONTEXT)).kind, 'unavailable')
    await environment.setOnline(false)
    const found = await subject().gateway.findOrder({ orderId: newId() }, CONTEXT)
    assert.equal(found.kind, 'unavailable')
    const request = { usd: cents(10_000n), currency: 'USDT' } as const
    assert.equal((await subject().gateway.quote(request, CONTEXT)).kind, 'unavailable')
    await environment.setOnline(true)
    await eventually('the breaker closes', async () => {
      return (await subject().gateway.quote(request, CONTEXT)).kind === 'read'
    })
  })

  registerNotices(
    () => subject().gateway,
    async () => {
      const wanted = order()
      await create(wanted)
      await subject().environment.act(wanted.orderId, 'pay')
      return { ...(await subject().environment.notice(wanted.orderId)), orderId: wanted.orderId }
    },
    { isBodySigned: true },
  )
}

interface ReceivedNotice {
  readonly headers: NoticeHeaders
  readonly body: Buffer
  readonly orderId: string
}

export function registerNotices(
  provider: () => Pick<PaymentGateway, 'readNotice'>,
  receive: () => Promise<ReceivedNotice>,
  { isBodySigned }: { readonly isBodySigned: boolean },
): void {
  test('a notice names its order, and one that was changed or unsigned names none', async () => {
    const { headers, body, orderId } = await receive()
    const judge = (changed: NoticeHeaders, rawBody = body, now = new Date()) =>
      provider().readNotice(changed, rawBody, now)
    assert.deepEqual(judge(headers), { kind: 'notice', order: { orderId } })
    assert.equal(judge({}).kind, 'bad_signature')
    for (const name of Object.keys(headers).filter((one) => one.startsWith('x-'))) {
      const value = String(headers[name])
      const changed = value.slice(0, -1) + (value.endsWith('0') ? '1' : '0')
      assert.equal(judge({ ...headers, [name]: changed }).kind, 'bad_signature', name)
      assert.equal(judge({ ...headers, [name]: undefined }).kind, 'bad_signature', name)
      assert.equal(judge({ ...headers, [name]: [value, value] }).kind, 'bad_signature', name)
    }
    // Where the body is not signed it is not read either.
    const other = Buffer.from(JSON.stringify({ merchantRecognitionId: newId() }))
    assert.deepEqual(
      judge(headers, other),
      isBodySigned ? { kind: 'bad_signature' } : { kind: 'notice', order: { orderId } },
    )
  })
}
