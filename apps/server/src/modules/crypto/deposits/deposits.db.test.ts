import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql, sqlState, violatedConstraint } from '#infra/database/db'
import { formatDecimal } from '#kernel/decimal'
import { newId } from '#kernel/id'
import { Refusal } from '#kernel/refusal'
import type { ManualClock } from '../../../infra/testing/clock.ts'
import { closeAccount } from '../../trading/buying/testing/buyers.ts'
import { creditedToWallet, DEPOSIT_STATUSES, DEPOSIT_TRANSITIONS } from './deposit.ts'
import { context } from './testing/depositors.ts'
import { type Deposits, useDeposits } from './testing/use-deposits.ts'

let clock: ManualClock
let a: Deposits
const { db } = await useDeposits((given) => {
  ;({ clock, a } = given)
})

const refusal = (key: string) => (error: unknown) => error instanceof Refusal && error.key === key
const MINUTE_MS = 60_000

it('the database knows the same steps as the table in the code', async () => {
  const rows = await db.query<{ from_status: string; to_status: string }>(
    sql('test.transitions', 'select from_status::text, to_status::text from deposits.transition'),
  )
  const inCode = DEPOSIT_STATUSES.flatMap((from) =>
    Object.keys(DEPOSIT_TRANSITIONS[from]).map((to) => `${from} ${to}`),
  )
  assert.deepEqual(rows.map((row) => `${row.from_status} ${row.to_status}`).sort(), inCode.sort())
})

describe('a gateway deposit', () => {
  it('paid exactly is credited less the fee, once, with its events in order', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.set(id, { state: 'processing' })
    await a.follow()
    assert.equal((await a.find(id)).status, 'pending')
    a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    await a.follow()
    const deposit = await a.find(id)
    assert.equal(deposit.status, 'completed')
    assert.equal(deposit.credited, 99_00n)
    assert.equal(deposit.feeUsd, 1_00n)
    assert.equal(formatDecimal(deposit.received), '100')
    assert.equal(await a.balance(who), 99_00n)
    assert.deepEqual(await a.events(id), [
      'deposit.initiated',
      'deposit.pending',
      'deposit.completed',
    ])
  })

  it('paid in parts is credited when the whole has come, to the cent like one payment', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who, 10_00n)
    a.gateway.pay(id, '3.333333', { state: 'part_paid' })
    await a.follow()
    const { status, seen, received } = await a.find(id)
    assert.deepEqual([status, formatDecimal(seen), received], ['pending', '3.333333', 0n])
    assert.equal(await a.balance(who), 0n)
    a.gateway.pay(id, '3.333333', { state: 'part_paid' })
    a.gateway.pay(id, '3.333334', { state: 'paid' })
    await a.follow()
    assert.equal((await a.find(id)).status, 'completed')
    assert.equal(await a.balance(who), 9_90n)
  })

  it('paid in part when it expires is partial and credited; a top-up completes it', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '40', { state: 'expired' })
    await a.follow()
    assert.equal((await a.find(id)).status, 'partial')
    assert.equal(await a.balance(who), 39_60n)
    a.gateway.pay(id, '60', { state: 'paid' })
    await a.follow()
    assert.equal((await a.find(id)).status, 'completed')
    assert.equal(await a.balance(who), 99_00n)
    const events = await a.events(id)
    assert.deepEqual(events.slice(-3), ['deposit.pending', 'deposit.partial', 'deposit.completed'])
  })

  it('paid too much is credited whole', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '250', { state: 'paid' })
    await a.follow()
    assert.equal((await a.find(id)).status, 'completed')
    assert.equal(await a.balance(who), 247_50n)
  })

  for (const [how, end] of [
    ['expired', async (id: string) => a.gateway.set(id, { state: 'expired' })],
    [
      'cancelled',
      async (id: string, account: string) => void (await a.cancel(account, id, context)),
    ],
  ] as const) {
    it(`paid after it was ${how} is credited at the rate of that moment`, async () => {
      const who = await a.depositor()
      a.gateway.usdPerTokenE18 = 50_000n * 10n ** 18n
      const { id, payAmount } = await a.given(who, 100_00n, 'BTC')
      await end(id, who.accountId)
      await a.follow()
      assert.equal((await a.find(id)).status, how)
      clock.advance(60 * MINUTE_MS)
      a.gateway.usdPerTokenE18 = 60_000n * 10n ** 18n
      a.gateway.pay(id, formatDecimal(payAmount ?? assert.fail()), { state: 'paid' })
      await a.follow()
      assert.equal((await a.find(id)).status, 'completed')
      assert.equal(await a.balance(who), 118_80n)
      assert.equal((await a.events(id)).at(-1), 'deposit.completed')
    })
  }

  it('a late payment waits while the gateway names no rate', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    clock.advance(60 * MINUTE_MS)
    await a.follow()
    assert.equal((await a.find(id)).status, 'expired')
    a.gateway.pay(id, '100', { state: 'paid' })
    const { quote } = a.gateway
    Object.assign(a.gateway, {
      quote: async () => ({ kind: 'unavailable', detail: '', retryAfterMs: 0 }),
    })
    await a.follow()
    assert.equal(await a.balance(who), 0n)
    Object.assign(a.gateway, { quote })
    await a.follow()
    assert.equal(await a.balance(who), 99_00n)
  })

  it('that waits for its conversion says so and is credited with what it was converted into', async () => {
    const who = await a.depositor()
    a.gateway.usdPerTokenE18 = 50_000n * 10n ** 18n
    const { id } = await a.given(who, 100_00n, 'BTC')
    a.gateway.set(id, { state: 'conversion_delay' })
    await a.follow()
    const waiting = await a.find(id)
    assert.equal(waiting.status, 'pending')
    assert.equal(waiting.substate, 'conversion_delay')
    a.gateway.pay(id, '0.002', { state: 'paid', valueUsdMicros: 101_239_999n })
    await a.follow()
    assert.equal((await a.find(id)).creditedUsd + (await a.find(id)).feeUsd, 101_23n)
  })

  it('expires two minutes after its time when a fresh look finds nothing', async () => {
    const { id } = await a.given(await a.depositor())
    clock.advance(21 * MINUTE_MS)
    await a.follow()
    assert.equal((await a.find(id)).status, 'initiated')
    clock.advance(MINUTE_MS)
    await a.follow()
    assert.equal((await a.find(id)).status, 'expired')
  })

  it('whose payment was seen and never settled fails', async () => {
    const { id } = await a.given(await a.depositor())
    a.gateway.set(id, { state: 'processing' })
    await a.follow()
    a.gateway.set(id, { state: 'expired' })
    await a.follow()
    const deposit = await a.find(id)
    assert.deepEqual([deposit.status, deposit.reason], ['failed', 'payment_not_settled'])
  })

  it('in euros is credited at the current rate, which is stored', async () => {
    const who = await a.depositor('EUR')
    const { id } = await a.given(who)
    a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    assert.equal(await a.balance(who), 79_20n)
    const [row] = await db.query<{ rate: bigint }>(
      sql('test.rate', 'select usd_per_eur_micros rate from deposits.credit where deposit_id = $1'),
      [id],
    )
    assert.equal(row?.rate, 1_250_000n)
  })

  it('of a suspended account is credited, and none is created for it', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    const quote = await a.gatewayDeposits.quote(
      who,
      { usd: (await a.find(id)).payUsd ?? assert.fail(), currency: 'USDT' },
      context,
    )
    await closeAccount(db, who.accountId, 'suspended')
    a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    assert.equal(await a.balance(who), 99_00n)
    const again = a.gatewayDeposits.create(
      who,
      { quoteToken: quote.quoteToken, chain: 'TRX' },
      context,
    )
    await assert.rejects(again, refusal('ACCOUNT_SUSPENDED'))
  })

  it('of a merchant for itself that was closed meanwhile is not created', async () => {
    const { tenantId } = await a.depositor()
    const own = { accountId: tenantId, tenantId, currency: 'USD' } as const
    const { payUsd } = await a.given(own)
    const request = { usd: payUsd ?? assert.fail(), currency: 'USDT' } as const
    const { quoteToken } = await a.gatewayDeposits.quote(own, request, context)
    await closeAccount(db, tenantId, 'deleted')
    const again = a.gatewayDeposits.create(own, { quoteToken, chain: 'TRX' }, context)
    await assert.rejects(again, refusal('USER_NOT_FOUND'))
  })

  it('of a deleted account goes to unclaimed deposits, with a case', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    await closeAccount(db, who.accountId, 'deleted')
    a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    const deposit = await a.find(id)
    assert.deepEqual([deposit.credited, creditedToWallet(deposit)], [99_00n, 0n])
    assert.equal(await a.balance(who), 0n)
    assert.deepEqual(a.cases, [{ kind: 'deposit_unclaimed', depositId: id }])
  })

  it('of which the rest comes after its account was deleted shows what the wallet had, also when it is taken back', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '40', { state: 'expired' })
    await a.follow()
    await closeAccount(db, who.accountId, 'deleted')
    a.gateway.pay(id, '60', { state: 'paid' })
    await a.follow()
    assert.equal(creditedToWallet(await a.find(id)), 39_60n)
    a.gateway.refund(id, '50')
    await a.follow()
    assert.equal(creditedToWallet(await a.find(id)), 39_60n)
    assert.equal(await a.balance(who), 39_60n)
  })
})

describe('a refund by the provider', () => {
  it('takes back what was credited', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    a.gateway.refund(id, '100')
    await a.follow()
    await a.follow()
    assert.equal((await a.find(id)).status, 'refunded')
    assert.equal(await a.balance(who), 0n)
    assert.deepEqual((await a.events(id)).at(-1), 'deposit.refunded')
  })

  it('of what was spent already leaves a debt and a case; the next deposit repays it first', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    await db.query(
      sql(
        'test.spend',
        `select ledger.post('adjustment', null, $1, 'spend', '\\x00', $2, array['USD'::ledger.currency],
           array[ledger.account_of($1, 'spot')], array[ledger.house('adjustment', 'USD')], array[70_00])`,
      ),
      [who.accountId, clock.now()],
    )
    a.gateway.refund(id, '100')
    await a.follow()
    assert.equal(await a.balance(who), 0n)
    assert.deepEqual(a.cases, [{ kind: 'deposit_owed', depositId: id }])
    for (const next of [await a.given(who, 50_00n), await a.given(who, 50_00n)]) {
      a.gateway.pay(next.id, '50', { state: 'paid' })
    }
    await a.follow()
    assert.deepEqual([await a.balance(who), await a.debt(who)], [29_00n, 0n])
  })

  it('in two parts takes back exactly the whole', async () => {
    const who = await a.depositor('EUR')
    const { id } = await a.given(who, 33_33n)
    a.gateway.pay(id, '33.33', { state: 'paid' })
    await a.follow()
    a.gateway.refund(id, '11.11')
    await a.follow()
    a.gateway.refund(id, '22.22')
    await a.follow()
    assert.equal(await a.balance(who), 0n)
    const refunds = (await a.events(id)).filter((type) => type === 'deposit.refunded')
    assert.equal(refunds.length, 2)
  })

  it('that was rejected is shown and moves nothing', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '100', { state: 'paid' })
    a.gateway.refund(id, '100', 'rejected')
    await a.follow()
    await a.follow()
    const deposit = await a.find(id)
    assert.deepEqual([deposit.status, deposit.substate], ['completed', 'refund_rejected'])
    assert.equal(await a.balance(who), 99_00n)
  })
})

describe('a quote', () => {
  const create = (
    who: Awaited<ReturnType<typeof a.depositor>>,
    quoteToken: string,
    chain = 'TRX',
  ) => a.gatewayDeposits.create(who, { quoteToken, chain }, context)
  const quoted = async (who: Awaited<ReturnType<typeof a.depositor>>) =>
    a.gatewayDeposits.quote(who, { usd: 50_00n as never, currency: 'USDT' }, context)

  it('is used once: of 8 at once one creates, the others are QUOTE_INVALID', async () => {
    const who = await a.depositor()
    const { quoteToken } = await quoted(who)
    const another = await quoted(who)
    const [beside, ...outcomes] = await Promise.allSettled(
      [another.quoteToken, ...Array(8).fill(quoteToken)].map((token) => create(who, token)),
    )
    assert.equal(beside?.status, 'fulfilled', 'what is refused in one commit refuses nothing else')
    const won = outcomes.filter(({ status }) => status === 'fulfilled')
    assert.equal(won.length, 1)
    assert.equal(a.gateway.created.length, 2)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.ok(refusal('QUOTE_INVALID')(outcome.reason))
    }
  })

  it('of another account, changed, or of another way of paying is QUOTE_INVALID', async () => {
    const who = await a.depositor()
    const { quoteToken } = await quoted(who)
    await assert.rejects(create(await a.depositor(), quoteToken), refusal('QUOTE_INVALID'))
    await assert.rejects(create(who, `${quoteToken.slice(0, -4)}AAAA`), refusal('QUOTE_INVALID'))
    await assert.rejects(create(who, 'nonsense'), refusal('QUOTE_INVALID'))
    await assert.rejects(
      a.onrampDeposits.create(
        who,
        { quoteToken, redirectUrl: null, paymentMethod: 'instant' },
        context,
      ),
      refusal('QUOTE_INVALID'),
    )
  })

  it('is QUOTE_EXPIRED after five minutes', async () => {
    const who = await a.depositor()
    const { quoteToken } = await quoted(who)
    clock.advance(5 * MINUTE_MS)
    await assert.rejects(create(who, quoteToken), refusal('QUOTE_EXPIRED'))
  })
})

describe('what partners read of the providers', () => {
  it('is the rate of each currency and the tokens of its smallest deposit, or no rate', async () => {
    a.gateway.usdPerTokenE18 = 50_000n * 10n ** 18n
    const rates = await a.gatewayDeposits.listRates(context)
    const named = rates.map(({ currency: { currency }, least, rate }) => [
      currency,
      least,
      rate && formatDecimal(rate.leastTokens),
    ])
    // A stable coin at 50,000 dollars is not meant.
    assert.deepEqual(named, [
      ['USDT', 5_00n, null],
      ['BTC', 10_00n, '0.0002'],
    ])
  })

  it('is the configuration of the on-ramp, or GATEWAY_UNAVAILABLE', async () => {
    assert.deepEqual(await a.onrampDeposits.configuration('limitsMapping', context), {})
    const away = { kind: 'unavailable', detail: 'away', retryAfterMs: 0 } as const
    Object.assign(a.onramp, { configuration: async () => away })
    await assert.rejects(
      a.onrampDeposits.configuration('limitsMapping', context),
      refusal('GATEWAY_UNAVAILABLE'),
    )
  })
})

describe('a card session', () => {
  const request = {
    amount: { pay: 100_00n },
    payCurrency: 'EUR',
    countryCode: null,
    coin: { coinCode: 'usdc', network: 'base' },
  } as const

  it('whose answer is lost is GATEWAY_UNAVAILABLE: its page is unknown, its money is not lost', async () => {
    const who = await a.depositor()
    const { quoteToken } = await a.onrampDeposits.quote(who, request, context)
    const { createSession } = a.onramp
    Object.assign(a.onramp, {
      createSession: async (...asked: Parameters<typeof createSession>) => {
        await createSession(...asked)
        return { kind: 'unknown', detail: 'timeout' }
      },
    })
    const refused = await a.onrampDeposits
      .create(who, { quoteToken, redirectUrl: null, paymentMethod: 'instant' }, context)
      .catch((error) => error)
    assert.equal(refused.key, 'GATEWAY_UNAVAILABLE')
    const { depositId } = refused.details
    const payment = { settlementRef: depositId, amountToken: '95', token: 'USDC' } as const
    const settled = { ...payment, valueUsdMicros: null, txHash: null, paidAt: clock.now() }
    a.onramp.set(depositId, { state: 'completed', payments: [settled] })
    await a.follow()
    assert.equal(await a.balance(who), 95_00n)
  })
})

describe('a card session whose payer does not begin', () => {
  const opened = async () => {
    const who = await a.depositor()
    const amount = { pay: 100_00n }
    const asked = { amount, payCurrency: 'USD', countryCode: null, coin: null } as const
    const { quoteToken } = await a.onrampDeposits.quote(who, asked, context)
    const session = { quoteToken, redirectUrl: null, paymentMethod: 'instant' } as const
    const { id } = (await a.onrampDeposits.create(who, session, context)).deposit
    a.onramp.orders.delete(id)
    return { who, id }
  }
  const paid = (id: string) => {
    const payment = { settlementRef: `7${id}`, amountToken: '95', token: 'USDT', txHash: null }
    a.onramp.orders.set(id, {
      ...{ orderId: id, recognitionId: id, providerOrderId: `7${id}`, state: 'completed' },
      payments: [{ ...payment, valueUsdMicros: null, paidAt: clock.now() }],
      ...{ detail: null, refunds: [] },
    })
  }

  it('is no missing order, and expires; what is paid later is credited', async () => {
    const { who, id } = await opened()
    for (let look = 0; look < 4; look += 1) await a.follow()
    assert.deepEqual([a.cases, (await a.find(id)).status], [[], 'initiated'])
    clock.advance(63 * MINUTE_MS)
    await a.follow()
    assert.deepEqual([a.cases, (await a.find(id)).status], [[], 'expired'])
    paid(id)
    await a.follow()
    assert.deepEqual([await a.balance(who), (await a.find(id)).status], [95_00n, 'completed'])
  })

  it('has begun once its order was seen: one that vanishes then is missing', async () => {
    const { id } = await opened()
    paid(id)
    a.onramp.set(id, { state: 'created', payments: [] })
    await a.follow()
    a.onramp.orders.delete(id)
    for (let look = 0; look < 2; look += 1) await a.follow()
    assert.deepEqual(a.cases, [{ kind: 'deposit_order_missing', depositId: id }])
  })
})

describe('what a gateway says against what we hold', () => {
  it('an order that is not the one we asked for credits nothing and opens a case', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '100', { state: 'paid' })
    a.gateway.set(id, { currency: 'BTC' })
    await a.follow()
    assert.equal(await a.balance(who), 0n)
    assert.deepEqual(a.cases, [{ kind: 'deposit_contradiction', depositId: id }])
  })

  it('an order whose own figures contradict each other credits nothing and opens a case, until they agree', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '100', { state: 'paid' })
    a.gateway.set(id, { contradiction: '100 arrived, 0 listed, 0 in detail' })
    await a.follow()
    assert.equal(await a.balance(who), 0n)
    assert.deepEqual(a.cases, [{ kind: 'deposit_contradiction', depositId: id }])
    a.gateway.set(id, { contradiction: null })
    await a.follow()
    assert.equal(await a.balance(who), 99_00n)
  })

  it('a payment that changes after its credit changes nothing and opens a case', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '100', { state: 'paid', settlementRef: `ref-${id}` })
    await a.follow()
    a.gateway.set(id, { payments: [] })
    a.gateway.pay(id, '900', { state: 'paid', settlementRef: `ref-${id}` })
    await a.follow()
    assert.equal(await a.balance(who), 99_00n)
    assert.deepEqual(a.cases, [{ kind: 'deposit_contradiction', depositId: id }])
  })

  it('a large payment that only one of two reads shows is not credited', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who, 2000_00n)
    a.gateway.pay(id, '2000', { state: 'paid' })
    a.gateway.afterNextRead = () => a.gateway.set(id, { state: 'waiting', payments: [] })
    await a.follow()
    assert.equal(await a.balance(who), 0n)
    assert.deepEqual(a.cases, [{ kind: 'deposit_contradiction', depositId: id }])
    a.gateway.pay(id, '2000', { state: 'paid' })
    await a.follow()
    assert.equal(await a.balance(who), 1980_00n)
  })

  it('an absurd amount, and one in another token, is held back for an operator', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '100000001', { state: 'processing' })
    a.gateway.pay(id, '100', { state: 'processing', token: 'USDX' })
    a.gateway.pay(id, '-5', { state: 'processing' })
    await a.follow()
    assert.equal(await a.balance(who), 0n)
    assert.deepEqual(
      a.cases.map(({ kind }) => kind),
      ['deposit_held_back', 'deposit_held_back', 'deposit_held_back'],
    )
  })
})

describe('at the same moment', () => {
  it('32 notices make one credit', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '100', { state: 'paid' })
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        await a.receiveNotice('gateway', { 'x-signature': 'good' }, Buffer.from(id))
        await a.followDue()
      }),
    )
    assert.equal((await a.find(id)).status, 'completed')
    assert.equal(await a.balance(who), 99_00n)
  })

  it('a credit and a cancel leave the money credited and the deposit completed', async () => {
    const who = await a.depositor()
    const ids = await Promise.all(Array.from({ length: 10 }, async () => (await a.given(who)).id))
    for (const id of ids) a.gateway.pay(id, '100', { state: 'paid' })
    await Promise.allSettled([a.follow(), ...ids.map((id) => a.cancel(who.accountId, id, context))])
    await a.follow()
    for (const id of ids) assert.equal((await a.find(id)).status, 'completed')
    assert.equal(await a.balance(who), 990_00n)
  })
})

it('a notice with a bad signature is refused, and one about nothing of ours is only received', async () => {
  const body = Buffer.from('019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d')
  await assert.rejects(a.receiveNotice('gateway', {}, body), refusal('INVALID_SIGNATURE'))
  const { isKnown } = await a.receiveNotice('gateway', { 'x-signature': 'good' }, body)
  assert.equal(isKnown, false)
})

describe('the database alone refuses', () => {
  /** Runs statements that must fail with this constraint or state, and takes them back. */
  const refuses = (expected: string, text: string, values: readonly unknown[]) =>
    assert.rejects(
      db.transaction((tx) => tx.query(sql(`guard.${expected}.${newId()}`, text), values)),
      (error) => violatedConstraint(error) === expected || sqlState(error) === expected,
    )
  const copyCredit = `insert into deposits.credit (deposit_id, provider, settlement_ref, amount_token, value_usd,
      net_usd, fee_usd, wallet_amount, journal_id, created_at)
    select deposit_id, provider, settlement_ref, amount_token, value_usd, net_usd, fee_usd, wallet_amount, journal_id,
      created_at from deposits.credit where deposit_id = $1`

  it('a second credit of a payment, a second reversal of a refund, and a change of either', async () => {
    const { id } = await a.given(await a.depositor())
    a.gateway.pay(id, '100', { state: 'paid' })
    a.gateway.refund(id, '40')
    await a.follow()
    await a.follow()
    await refuses('credit_once', copyCredit, [id])
    await refuses(
      'reversal_once',
      `insert into deposits.reversal (deposit_id, provider, refund_ref, amount_token, wallet_amount, owed, net_usd,
         fee_usd, journal_id, created_at)
       select deposit_id, provider, refund_ref, amount_token, wallet_amount, owed, net_usd, fee_usd, journal_id,
         created_at from deposits.reversal where deposit_id = $1`,
      [id],
    )
    for (const table of ['credit', 'reversal']) {
      await refuses('42501', `update deposits.${table} set net_usd = 0 where deposit_id = $1`, [id])
    }
    await refuses(
      'deposit_reverses_at_most_its_credit',
      'update deposits.deposit set reversed = credited + 1 where id = $1',
      [id],
    )
  })

  it('a step that is not in its table', async () => {
    const { id } = await a.given(await a.depositor())
    await refuses('PT500', `select deposits.move($1, 'refunded', null, null, now())`, [id])
  })
})
