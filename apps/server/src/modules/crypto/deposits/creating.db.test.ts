// An order at a provider whose creation is not known to have gone well.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openDb, sql } from '#infra/database/db'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import type { ManualClock } from '../../../infra/testing/clock.ts'
import { createGatewayDeposits } from './gateway.ts'
import { context } from './testing/depositors.ts'
import { type Deposits, useDeposits } from './testing/use-deposits.ts'

let clock: ManualClock
let a: Deposits
const { db, url } = await useDeposits((given) => {
  ;({ clock, a } = given)
})

const refusal = (key: string) => (error: unknown) => error instanceof Refusal && error.key === key

describe('creating an order', () => {
  it('whose answer is lost is found under the same id and never created again', async () => {
    const who = await a.depositor()
    a.gateway.next = 'loses-answer'
    await assert.rejects(a.given(who), refusal('GATEWAY_UNAVAILABLE'))
    a.gateway.isOnline = true
    const [id = ''] = a.gateway.created
    a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    assert.equal((await a.find(id)).status, 'completed')
    assert.equal((await a.find(id)).address, 'TAddress')
    assert.deepEqual(a.gateway.created, [id])
  })

  it('that the busy database does not take is GATEWAY_UNAVAILABLE with its deposit, which is found', async () => {
    const who = await a.depositor()
    const hasty = openDb({ url: url, poolSize: 2, statementTimeoutMs: 200 })
    const held = Promise.withResolvers<void>()
    let holder = Promise.resolve()
    a.gateway.beforeTurn = async () => {
      const isHeld = Promise.withResolvers<void>()
      holder = db.transaction(async (tx) => {
        await tx.query(sql('test.hold_deposits', 'lock table deposits.deposit in exclusive mode'))
        isHeld.resolve()
        await held.promise
      })
      await isHeld.promise
    }
    const { quoteToken } = await a.gatewayDeposits.quote(
      who,
      { usd: cents(100_00n), currency: 'USDT' },
      context,
    )
    const created = createGatewayDeposits({ ...a.deps, db: hasty }).create(
      who,
      { quoteToken, chain: 'TRX' },
      context,
    )
    const error = await created.catch((thrown) => thrown)
    held.resolve()
    await holder
    await hasty.close()
    const [id = ''] = a.gateway.created
    assert.ok(error instanceof Refusal)
    assert.deepEqual([error.key, error.details], ['GATEWAY_UNAVAILABLE', { depositId: id }])
    a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    assert.equal((await a.find(id)).status, 'completed')
    assert.deepEqual(a.gateway.created, [id])
  })

  it('that the provider never received fails after look-ups have not found it long enough', async () => {
    const who = await a.depositor()
    a.gateway.next = 'loses-request'
    const error = await a.given(who).catch((thrown: Refusal) => thrown)
    const id = (error as Refusal).details?.depositId as string
    await a.follow()
    await a.follow()
    assert.equal((await a.find(id)).status, 'initiated')
    clock.advance(6000)
    await a.follow()
    const deposit = await a.find(id)
    assert.deepEqual([deposit.status, deposit.reason], ['failed', 'provider_unavailable'])
    assert.deepEqual(a.gateway.created, [])
  })

  it('while the provider is away is GATEWAY_UNAVAILABLE, and the deposit has failed', async () => {
    const who = await a.depositor()
    a.gateway.next = 'not-sent'
    const error = await a.given(who).catch((thrown: Refusal) => thrown)
    assert.equal((error as Refusal).key, 'GATEWAY_UNAVAILABLE')
    const deposit = await a.find((error as Refusal).details?.depositId as string)
    assert.deepEqual([deposit.status, deposit.reason], ['failed', 'provider_unavailable'])
  })
})
