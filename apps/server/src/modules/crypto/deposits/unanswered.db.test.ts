// A create that its provider leaves unanswered.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from '#kernel/refusal'
import type { ManualClock } from '../../../infra/testing/clock.ts'
import type { Depositor } from './open-deposit.ts'
import {
  findAccountsWithOpenDeposits,
  findDepositOf,
  findTenantDeposit,
  listDeposits,
  listTenantDeposits,
  pageDeposits,
} from './store/deposits.ts'
import { findDeposits } from './store/find.ts'
import { context } from './testing/depositors.ts'
import { type Deposits, useDeposits } from './testing/use-deposits.ts'

let clock: ManualClock
let a: Deposits
const { db } = await useDeposits((given) => {
  ;({ clock, a } = given)
})

/** The id that the refusal names. */
async function unanswered(creating: Promise<unknown>): Promise<string> {
  const error = await creating.catch((thrown: unknown) => thrown)
  assert.ok(error instanceof Refusal)
  assert.equal(error.key, 'GATEWAY_UNAVAILABLE')
  return String(error.details?.depositId)
}

/** In how many ways its owner sees it, and which events it has. */
async function shown({ accountId, tenantId }: Depositor, id: string) {
  const slice = { cursor: null, limit: 5 }
  const filter = { accountId: null, status: null, method: null, from: null, to: null, ...slice }
  const lists = [
    (await listDeposits(db, accountId, slice)).items,
    (await listTenantDeposits(db, tenantId, filter)).items,
    (await pageDeposits(db, accountId, { page: 1, limit: 5, status: null })).deposits,
    await findDeposits(db, { ids: [id], transferIds: [], text: id, tenantId }),
  ]
  const found = [await findDepositOf(db, accountId, id), await findTenantDeposit(db, tenantId, id)]
  const sightings = lists.filter((list) => list.some((one) => one.id === id)).length
  return [sightings + found.filter((one) => one !== null).length, await a.events(id)]
}
const NOTHING = [0, []]

const card = async (who: Depositor) => {
  const request = {
    amount: { pay: 100_00n },
    payCurrency: 'USD',
    countryCode: null,
    coin: null,
  } as const
  const { quoteToken } = await a.onrampDeposits.quote(who, request, context)
  const session = { quoteToken, redirectUrl: null, paymentMethod: 'instant' } as const
  return a.onrampDeposits.create(who, session, context)
}

describe('a create that is GATEWAY_UNAVAILABLE leaves nothing in lists and sends no event', () => {
  for (const how of ['not-sent', 'refuses', 'loses-request'] as const) {
    it(`where the gateway ${how === 'refuses' ? how : `was ${how}`}, whatever looks find`, async () => {
      const who = await a.depositor()
      a.gateway.next = how
      const id = await unanswered(a.given(who))
      assert.deepEqual(await shown(who, id), NOTHING)
      for (let look = 0; look < 3; look++) {
        await a.follow()
        clock.advance(6000)
      }
      assert.deepEqual([await shown(who, id), (await a.find(id)).status], [NOTHING, 'failed'])
    })
  }

  it('unless money reaches the order: then it appears as it is', async () => {
    const who = await a.depositor()
    a.gateway.next = 'loses-answer'
    const id = await unanswered(a.given(who))
    a.gateway.isOnline = true
    await a.follow()
    assert.deepEqual([await shown(who, id), (await a.find(id)).address], [NOTHING, 'TAddress'])
    assert.deepEqual(await findAccountsWithOpenDeposits(db, [who.accountId]), [])
    a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    assert.deepEqual(await shown(who, id), [
      6,
      ['deposit.initiated', 'deposit.pending', 'deposit.completed'],
    ])
  })

  it('also late, after it has ended without them', async () => {
    const who = await a.depositor()
    a.gateway.next = 'loses-answer'
    const id = await unanswered(a.given(who))
    a.gateway.isOnline = true
    await a.follow()
    a.gateway.set(id, { state: 'expired' })
    await a.follow()
    assert.deepEqual([await shown(who, id), (await a.find(id)).status], [NOTHING, 'expired'])
    a.gateway.pay(id, '100')
    await a.follow()
    assert.deepEqual(await shown(who, id), [
      6,
      ['deposit.initiated', 'deposit.expired', 'deposit.completed'],
    ])
  })

  it('soon after its provider shows the order again, though it was paid while no look-up showed it', async () => {
    const who = await a.depositor()
    a.gateway.next = 'loses-answer'
    const id = await unanswered(a.given(who))
    a.gateway.isOnline = true
    a.gateway.pay(id, '100', { state: 'paid' })
    const { findOrder } = a.gateway
    Object.assign(a.gateway, { findOrder: async () => ({ kind: 'read', value: 'absent' }) })
    for (let waited = 0; waited < 60; waited += 5) {
      clock.advance(5000)
      await a.follow()
    }
    assert.deepEqual([await shown(who, id), (await a.find(id)).status], [NOTHING, 'failed'])
    Object.assign(a.gateway, { findOrder })
    clock.advance(60_000)
    await a.follow()
    assert.deepEqual([(await shown(who, id))[0], (await a.find(id)).status], [6, 'completed'])
  })

  it('of a card too, and its quote names no deposit that nothing shows', async () => {
    const who = await a.depositor()
    const { createSession } = a.onramp
    const lost = async (...args: Parameters<typeof createSession>) => {
      await createSession(...args)
      return { kind: 'unknown', detail: 'timeout' } as const
    }
    Object.assign(a.onramp, { createSession: lost })
    const request = {
      amount: { pay: 100_00n },
      payCurrency: 'USD',
      countryCode: null,
      coin: null,
    } as const
    const { quoteToken } = await a.onrampDeposits.quote(who, request, context)
    const session = { quoteToken, redirectUrl: null, paymentMethod: 'instant' } as const
    const create = () => a.onrampDeposits.create(who, session, context)
    const id = await unanswered(create())
    await a.follow()
    assert.deepEqual(await shown(who, id), NOTHING)
    await assert.rejects(create(), { key: 'QUOTE_INVALID', details: undefined })
    a.onramp.set(id, { state: 'in_progress' })
    await a.follow()
    assert.deepEqual(await shown(who, id), [6, ['deposit.initiated', 'deposit.pending']])
  })

  it('while one that is answered is listed with its event at once, also when a look was quicker', async () => {
    const who = await a.depositor()
    const { createSession } = a.onramp
    const slow = async (...args: Parameters<typeof createSession>) => {
      const answer = await createSession(...args)
      await a.follow()
      return answer
    }
    Object.assign(a.onramp, { createSession: slow })
    const { deposit, details } = await card(who)
    assert.match(details.widgetUrl ?? '', /ramp\.example/)
    assert.deepEqual(await shown(who, deposit.id), [6, ['deposit.initiated']])
  })
})
