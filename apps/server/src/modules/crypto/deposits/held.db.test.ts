import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql, violatedConstraint } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { newId } from '#kernel/id'
import type { ManualClock } from '../../../infra/testing/clock.ts'
import { until } from '../../../infra/testing/until.ts'
import { reversePayment } from './store/credits.ts'
import { decideHeld, listHeldOf, listHeldPayments } from './store/held.ts'
import { context } from './testing/depositors.ts'
import { type Deposits, useDeposits } from './testing/use-deposits.ts'

let clock: ManualClock
let a: Deposits
const { db } = await useDeposits((given) => {
  ;({ clock, a } = given)
})

describe('a payment that is held back', () => {
  const TOO_MUCH = '100101'
  const decide = async (depositId: string, state: 'released' | 'refused'): Promise<boolean> => {
    const [held] = await listHeldOf(db, depositId)
    if (held === undefined) return assert.fail('nothing is held')
    const decision = { state, by: 'ada', reason: 'the payer has called', at: clock.now() }
    return db.transaction((tx) => decideHeld(tx, held.id, decision))
  }
  const refundOf = (depositId: string): string =>
    assertDefined(a.gateway.orders.get(depositId)?.refunds[0], 'a refund').refundRef
  const givenHeld = async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, TOO_MUCH, { state: 'paid' })
    await a.follow()
    await a.follow()
    assert.equal(await a.balance(who), 0n)
    return { who, id }
  }

  it('and released is credited once, at the value that was shown', async () => {
    const { who, id } = await givenHeld()
    const [held] = await listHeldPayments(db, 10)
    assert.deepEqual([held?.depositId, held?.usdCents, held?.state], [id, 100_101_00n, 'held'])
    assert.equal(await decide(id, 'released'), true)
    assert.equal(await decide(id, 'refused'), false)
    assert.equal(await a.followDue(), false)
    await a.follow()
    assert.equal((await a.find(id)).status, 'completed')
    assert.equal(await a.balance(who), 99_099_99n)
    assert.deepEqual(await listHeldPayments(db, 10), [])
  })

  it('and refused is never credited, and opens no case again', async () => {
    const { who, id } = await givenHeld()
    assert.equal(await decide(id, 'refused'), true)
    a.cases.length = 0
    await a.follow()
    assert.deepEqual([await a.balance(who), a.cases], [0n, []])
  })

  it('and released is held again when it reads otherwise', async () => {
    const { who, id } = await givenHeld()
    await decide(id, 'released')
    const [payment] = a.gateway.orders.get(id)?.payments ?? []
    if (payment === undefined) return assert.fail()
    a.gateway.set(id, { payments: [{ ...payment, amountToken: '50' }] })
    await a.follow()
    assert.equal(await a.balance(who), 0n)
    assert.deepEqual(
      (await listHeldOf(db, id)).map(({ state }) => state),
      ['held'],
    )
  })

  it('that cannot be valued can only be refused', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '100', { state: 'paid', token: 'SHIB' })
    await a.follow()
    assert.equal(await decide(id, 'released'), false)
    assert.equal(await decide(id, 'refused'), true)
  })

  it('because it came after a refund is credited when it is released', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    a.gateway.refund(id, '100')
    await a.follow()
    a.gateway.pay(id, '40', { state: 'paid' })
    await a.follow()
    assert.deepEqual([(await a.find(id)).status, await a.balance(who)], ['refunded', 0n])
    await decide(id, 'released')
    await a.follow()
    assert.deepEqual([(await a.find(id)).status, await a.balance(who)], ['completed', 39_60n])
    assert.equal((await a.events(id)).at(-1), 'deposit.completed')
  })

  it('and refunded before it is released can only be refused', async () => {
    for (const refunded of [TOO_MUCH, '60000']) {
      const { who, id } = await givenHeld()
      a.gateway.refund(id, refunded)
      await a.follow()
      await a.follow()
      assert.equal((await a.find(id)).status, 'refunded')
      const [held] = await listHeldOf(db, id)
      assert.deepEqual([held?.state, held?.usdCents], ['held', null])
      assert.match(held?.problem ?? '', /refunded by its provider/)
      assert.equal(await decide(id, 'released'), false)
      await a.follow()
      assert.equal(await a.balance(who), 0n)
      assert.equal(await decide(id, 'refused'), true)
    }
  })

  it('and released, with a refund that is seen at the same time or before, brings nothing', async () => {
    const together = await givenHeld()
    assert.equal(await decide(together.id, 'released'), true)
    a.gateway.refund(together.id, TOO_MUCH)
    await a.follow()
    await a.follow()
    assert.equal((await a.find(together.id)).status, 'refunded')
    assert.equal(await a.balance(together.who), 0n)

    // The refund is seen, and the operator releases what the page showed before that look.
    const before = await givenHeld()
    a.gateway.refund(before.id, TOO_MUCH)
    const [order] = await listHeldOf(db, before.id)
    assert.equal(await decide(before.id, 'released'), true)
    await db.transaction((tx) =>
      reversePayment(
        tx,
        before.id,
        {
          ...{ provider: 'gateway', refundRef: refundOf(before.id), to: 'refunded', reason: null },
          amount: assertDefined(order?.amount, 'the amount'),
        },
        clock.now(),
      ),
    )
    await a.follow()
    await a.follow()
    assert.equal(await a.balance(before.who), 0n)
    const [again] = await listHeldOf(db, before.id)
    assert.deepEqual([again?.state, again?.usdCents], ['held', null])
  })

  it('is credited up to what was settled and not refunded, whichever is released first', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '50', { state: 'paid' })
    a.gateway.refund(id, '50')
    await a.follow()
    a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    await a.follow()
    for (const { id: heldId, state } of await listHeldOf(db, id)) {
      if (state !== 'held') continue
      const decision = { by: 'ada', reason: 'the payer has called', at: clock.now() }
      await db.transaction((tx) => decideHeld(tx, heldId, { state: 'released', ...decision }))
      await a.follow()
      await a.follow()
    }
    const credited = await a.balance(who)
    assert.equal(credited, 99_00n)
  })

  it('is not credited by the database without a release', async () => {
    const { id } = await givenHeld()
    const [held] = await listHeldOf(db, id)
    const credit = (value: string) =>
      db.query(
        sql(
          'test.credit_held',
          "select deposits.credit_payment($1, 'gateway', $2, 1, $3, '[]', 1, 0, null, now())",
        ),
        [id, held?.settlementRef, value],
      )
    await assert.rejects(credit('100101'), /is held back/)
    await decide(id, 'released')
    await assert.rejects(credit('100102'), /is held back/)
  })

  it('is not released without a value, nor decided about without a reason', async () => {
    const { id } = await givenHeld()
    const update = (change: string) =>
      db.query(
        sql(`test.${newId()}`, `update deposits.held_payment set ${change} where deposit_id = $1`),
        [id],
      )
    const decided = "state = 'released', decided_by = 'ada', decided_at = now()"
    for (const [constraint, change] of [
      ['held_payment_release_has_value', `value_usd = null, ${decided}, decision_reason = 'so'`],
      ['held_payment_decided_for_a_reason', `${decided}, decision_reason = ''`],
    ] as const) {
      await assert.rejects(update(change), (error) => violatedConstraint(error) === constraint)
    }
  })
})

describe('a process that is suspended between the intent and its order', () => {
  it('orders nothing for a deposit that has failed meanwhile', async () => {
    a.gateway.beforeTurn = async () => {
      clock.advance(31_000)
      await a.follow()
      await a.follow()
    }
    const refused = await a.given(await a.depositor()).catch((error) => error)
    assert.equal(refused.key, 'GATEWAY_UNAVAILABLE')
    const { status, reason } = await a.find(refused.details.depositId)
    assert.deepEqual([status, reason], ['failed', 'provider_unavailable'])
    assert.deepEqual(a.gateway.created, [])
  })
})

describe('a look at an order', () => {
  it('that a notice asks for before the answer to its creation is recorded comes at once', async () => {
    const { createOrder } = a.gateway
    Object.assign(a.gateway, {
      createOrder: async (...asked: Parameters<typeof createOrder>) => {
        const answer = await createOrder(...asked)
        const [{ orderId }] = asked
        a.gateway.pay(orderId, '100', { state: 'paid' })
        await a.receiveNotice('gateway', { 'x-signature': 'good' }, Buffer.from(orderId))
        return answer
      },
    })
    const who = await a.depositor()
    const { id, address } = await a.given(who)
    assert.equal(address, 'TAddress')
    await a.followDue()
    assert.equal((await a.find(id)).status, 'completed')
    assert.equal(await a.balance(who), 99_00n)
  })

  it('comes after its interval when nothing asks for it earlier', async () => {
    const { id } = await a.given(await a.depositor())
    a.gateway.set(id, { state: 'processing' })
    clock.advance(59_999)
    await a.followDue()
    assert.equal((await a.find(id)).status, 'initiated')
    clock.advance(1)
    await a.followDue()
    assert.equal((await a.find(id)).status, 'pending')
  })

  it('is made by one worker at a time, and comes again at once when a notice arrives meanwhile', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    const { findOrder } = a.gateway
    let reads = 0
    Object.assign(a.gateway, {
      findOrder: async (...asked: Parameters<typeof findOrder>) => {
        const read = await findOrder(...asked)
        if (++reads > 1) return read
        await a.followDue()
        assert.equal(reads, 1, 'the order is leased')
        a.gateway.pay(id, '100', { state: 'paid' })
        await a.receiveNotice('gateway', { 'x-signature': 'good' }, Buffer.from(id))
        return read
      },
    })
    await a.follow()
    assert.equal((await a.find(id)).status, 'initiated')
    await a.followDue()
    assert.deepEqual([reads, (await a.find(id)).status], [2, 'completed'])
  })

  it('is decided about anew when the deposit has changed meanwhile', async () => {
    const who = await a.depositor()
    const { id } = await a.given(who)
    a.gateway.pay(id, '100', { state: 'paid' })
    const { findOrder } = a.gateway
    Object.assign(a.gateway, {
      findOrder: async (...asked: Parameters<typeof findOrder>) => {
        const read = await findOrder(...asked)
        Object.assign(a.gateway, { findOrder })
        await a.cancel(who.accountId, id, context)
        return read
      },
    })
    await a.follow()
    assert.equal((await a.find(id)).status, 'completed')
    assert.equal(await a.balance(who), 99_00n)
    assert.deepEqual(await a.events(id), [
      'deposit.initiated',
      'deposit.cancelled',
      'deposit.completed',
    ])
  })
})

it('the database alone refuses what no deposit, order or credit can be', async () => {
  const { id } = await a.given(await a.depositor())
  const { id: other } = await a.given(await a.depositor())
  const refuses = (constraint: string, text: string, ...more: readonly string[]) =>
    assert.rejects(
      db.query(sql(`guard.${constraint}`, text), [id, ...more]),
      (error) => violatedConstraint(error) === constraint,
    )
  await refuses(
    'deposit_amounts_not_negative',
    'update deposits.deposit set received_amount = -1 where id = $1',
  )
  await refuses(
    'deposit_seen_not_negative',
    'update deposits.deposit set seen_amount = -1 where id = $1',
  )
  await refuses(
    'deposit_has_its_source',
    'update deposits.deposit set quote_id = null where id = $1',
  )
  await refuses(
    'provider_order_once',
    `update deposits.provider_order set provider_order_id =
       (select provider_order_id from deposits.provider_order where deposit_id = $2) where deposit_id = $1`,
    other,
  )
  await refuses(
    'credit_is_posted',
    `insert into deposits.credit (deposit_id, provider, settlement_ref, amount_token, value_usd, net_usd, fee_usd,
       wallet_amount, created_at) values ($1, 'gateway', 'unposted', 1, 1, 1, 0, 1, now())`,
  )
  await refuses(
    'reversal_is_posted',
    `insert into deposits.reversal (deposit_id, provider, refund_ref, amount_token, wallet_amount, owed, net_usd,
       fee_usd, created_at) values ($1, 'gateway', 'unposted', 1, 1, 0, 1, 0, now())`,
  )
})

it('a payment that is credited to one deposit is not credited to another', async () => {
  const [one, other] = [await a.given(await a.depositor()), await a.given(await a.depositor())]
  const settlementRef = newId()
  a.gateway.pay(one.id, '100', { state: 'paid', settlementRef })
  await a.follow()
  a.gateway.pay(other.id, '100', { state: 'paid', settlementRef })
  await assert.rejects(a.follow(), /credited to another deposit/)
  assert.equal((await a.find(other.id)).status, 'initiated')
})

it('a round ends after all of its looks, and fails as the one that failed', async () => {
  const [one, other] = [await a.given(await a.depositor()), await a.given(await a.depositor())]
  const { findOrder } = a.gateway
  const ended: string[] = []
  a.gateway.findOrder = async (key, at) => {
    if ('orderId' in key && key.orderId === other.id) {
      ended.push(other.id)
      throw new Error('this look is broken')
    }
    await until('the other look has failed', () => ended.length > 0)
    ended.push(one.id)
    return findOrder(key, at)
  }
  await assert.rejects(a.follow(), /this look is broken/)
  assert.deepEqual(ended, [other.id, one.id])
})

it('an order that its provider does not show opens a case after several look-ups, which ends when it is there', async () => {
  const { id } = await a.given(await a.depositor())
  const order = a.gateway.orders.get(id)
  assert.ok(order)
  a.gateway.orders.delete(id)
  await a.follow()
  assert.deepEqual(a.cases, [], 'one look-up says little')
  await a.follow()
  assert.deepEqual(a.cases, [{ kind: 'deposit_order_missing', depositId: id }])
  a.gateway.orders.set(id, order)
  await a.follow()
  await a.follow()
  assert.deepEqual(a.found, [id])
})
