// What a refusal says beside its key: what can be chosen instead, and why nothing can be done.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cents } from '#kernel/money'
import type { OrderRefusal } from './ports.ts'
import { context } from './testing/depositors.ts'
import { type Deposits, useDeposits } from './testing/use-deposits.ts'

let a: Deposits
await useDeposits((given) => {
  ;({ a } = given)
})

const usd = cents(100_00n)

describe('a chain that the gateway does not take', () => {
  it('is refused with the chains of the currency, none for one that is not offered', async () => {
    const who = await a.depositor()
    const { quoteToken } = await a.gatewayDeposits.quote(who, { usd, currency: 'USDT' }, context)
    const key = 'DEPOSIT_CHAIN_UNSUPPORTED'
    await assert.rejects(a.gatewayDeposits.create(who, { quoteToken, chain: 'SOL' }, context), {
      ...{ key, details: { chains: ['TRX', 'BSC'] } },
    })
    await assert.rejects(a.gatewayDeposits.quote(who, { usd, currency: 'SOL' }, context), {
      ...{ key, details: { chains: [] } },
    })
  })

  it('though it lists it, is refused with the others, and the deposit has failed', async () => {
    const who = await a.depositor()
    const { quoteToken } = await a.gatewayDeposits.quote(who, { usd, currency: 'USDT' }, context)
    refuseOrders('chain_unsupported')
    const refused = await a.gatewayDeposits
      .create(who, { quoteToken, chain: 'TRX' }, context)
      .catch((error) => error)
    assert.equal(refused.key, 'DEPOSIT_CHAIN_UNSUPPORTED')
    const { chains, depositId } = refused.details
    assert.deepEqual(chains, ['BSC'])
    const { status, reason } = await a.find(depositId)
    assert.deepEqual([status, reason], ['failed', 'chain_unsupported'])
    await assert.rejects(a.cancel(who.accountId, depositId, context), {
      ...{ key: 'DEPOSIT_NOT_CANCELLABLE', details: { status: 'failed', paymentSeen: false } },
    })
  })
})

describe('a network that the on-ramp does not deliver on', () => {
  const request = {
    amount: { pay: 100_00n },
    payCurrency: 'EUR',
    countryCode: null,
    coin: { coinCode: 'usdc', network: 'base' },
  } as const
  const mapping = { chainSymbolMapping: { erc20: 0, bep20: 1, base: 16 } }
  const key = 'DEPOSIT_CHAIN_UNSUPPORTED'

  it('is refused with the others that it names, at the quote and at the session', async () => {
    const who = await a.depositor()
    Object.assign(a.onramp, { configuration: async () => ({ kind: 'read', value: mapping }) })
    const { quoteToken } = await a.onrampDeposits.quote(who, request, context)
    refuseOrders('chain_unsupported')
    const refused = await a.onrampDeposits
      .create(who, { quoteToken, redirectUrl: null, paymentMethod: 'instant' }, context)
      .catch((error) => error)
    assert.deepEqual([refused.key, refused.details.chains], [key, ['erc20', 'bep20']])
    Object.assign(a.onramp, { quote: async () => ({ kind: 'read', value: 'chain_unsupported' }) })
    await assert.rejects(a.onrampDeposits.quote(who, request, context), {
      ...{ key, details: { chains: ['erc20', 'bep20'] } },
    })
  })

  it('is refused without them where none can be chosen, and while they are not known', async () => {
    const who = await a.depositor()
    const away = { kind: 'unavailable', detail: 'away', retryAfterMs: 0 } as const
    Object.assign(a.onramp, { quote: async () => ({ kind: 'read', value: 'chain_unsupported' }) })
    const details = undefined
    const choiceless = { ...request, coin: null }
    await assert.rejects(a.onrampDeposits.quote(who, choiceless, context), { key, details })
    Object.assign(a.onramp, { configuration: async () => away })
    await assert.rejects(a.onrampDeposits.quote(who, request, context), { key, details })
  })
})

it('an amount that a provider refuses though it is within its bounds is refused with them', async () => {
  const who = await a.depositor()
  const { quoteToken } = await a.gatewayDeposits.quote(who, { usd, currency: 'BTC' }, context)
  refuseOrders('amount_out_of_range')
  const refused = await a.gatewayDeposits
    .create(who, { quoteToken, chain: 'BTC' }, context)
    .catch((error) => error)
  const { depositId, ...bounds } = refused.details
  assert.equal(refused.key, 'DEPOSIT_AMOUNT_OUT_OF_RANGE')
  assert.deepEqual(bounds, { minUsdCents: 10_00, maxUsdCents: 25_000_00 })
  assert.equal((await a.find(depositId)).status, 'failed')
})

describe('a cancel', () => {
  const key = 'DEPOSIT_NOT_CANCELLABLE'
  const refusedWith = async (id: string, accountId: string, details: unknown): Promise<void> =>
    assert.rejects(a.cancel(accountId, id, context), { key, details })

  it('of a deposit of another account is refused, as if there were none', async () => {
    const { id } = await a.given(await a.depositor())
    const other = await a.depositor()
    await assert.rejects(a.cancel(other.accountId, id, context), { key: 'DEPOSIT_NOT_FOUND' })
  })

  it('is refused once a part is paid, with the status and that a payment was seen', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '40', { state: 'part_paid' })
    await a.follow()
    await refusedWith(id, who.accountId, { status: 'pending', paymentSeen: true })
    a.gateway.set(id, { state: 'paid' })
    a.gateway.pay(id, '60', { state: 'paid' })
    await a.follow()
    await refusedWith(id, who.accountId, { status: 'completed', paymentSeen: true })
  })

  it('is refused of what has ended, and says that no payment was seen', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    await a.cancel(who.accountId, id, context)
    await refusedWith(id, who.accountId, { status: 'cancelled', paymentSeen: false })
  })

  it('is refused of one whose payment was blocked, and says that it was seen', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.set(id, { state: 'blocked' })
    await a.follow()
    await refusedWith(id, who.accountId, { status: 'failed', paymentSeen: true })
  })
})

function refuseOrders(because: OrderRefusal): void {
  const refused = async () => ({ kind: 'refused', because, detail: 'no' })
  Object.assign(a.gateway, { createOrder: refused })
  Object.assign(a.onramp, { createSession: refused })
}
