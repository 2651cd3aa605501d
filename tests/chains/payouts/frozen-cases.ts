// A payment while the issuer of its token has frozen the hot wallet, or its receiver.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readByReferences } from '../../../apps/server/src/modules/crypto/outbound/index.ts'
import { newDestination, type PayoutEnvironment } from './environment.ts'

export function registerFrozenCases(environment: () => PayoutEnvironment): void {
  describe('a payment of a token that is frozen', () => registerFrozen(environment))
}

function registerFrozen(environment: () => PayoutEnvironment): void {
  for (const token of ['USDC', 'USDT'] as const) {
    it(`because the issuer of ${token} has frozen the hot wallet waits with all others, and all are paid in order after the thaw`, async () => {
      const { db, hot, chain, node, clock, alarms } = environment()
      await environment().fund(token, 1_000_000_000n)
      const first = await node.nonceOf(hot)
      await chain.freeze(token, hot, true)
      alarms.length = 0
      const ids: string[] = []
      for (let one = 0; one < 20; one += 1) {
        const { id } = await environment().submit({ token, destination: newDestination() })
        ids.push(id)
        // One by one, so that they are queued in this order.
        await environment().approve()
      }
      const other = await environment().submit({ token: 'NATIVE' })
      await environment().approve()
      for (let look = 0; look < 3; look += 1) {
        while (await environment().send());
        clock.advance(1_001)
      }
      const waiting = await readByReferences(db, 'payout', ids)
      assert.ok(waiting.every(({ holdReason }) => holdReason === 'wallet_frozen'))
      for (const id of ids) assert.deepEqual(await environment().events(id), [])
      assert.deepEqual(
        new Set(alarms.map(({ alarm }) => alarm)),
        new Set(['outbound_wallet_frozen']),
      )
      // The rest of the wallet goes on.
      assert.equal((await environment().finish(other.id)).status, 'confirmed')
      await chain.freeze(token, hot, false)
      clock.advance(1_001)
      for (const id of ids) assert.equal((await environment().finish(id)).status, 'confirmed')
      const paid = await readByReferences(db, 'payout', ids)
      const nonces = new Map(paid.map(({ refId, nonce }) => [refId, nonce]))
      assert.deepEqual(
        ids.map((id) => nonces.get(id)),
        ids.map((_, i) => first + 1 + i),
      )
      assert.equal(await node.nonceOf(hot), first + 21)
    })
  }

  it('because a freeze of the hot wallet ends while it is asked about is not refunded, and is paid', async () => {
    const { chain, hot, node, clock } = environment()
    await chain.freeze('USDC', hot, true)
    const { id } = await environment().submit()
    await environment().approve()
    const simulateAll: typeof node.simulateAll = async (calls) => {
      const answers = await node.simulateAll(calls)
      await chain.freeze('USDC', hot, false)
      return answers
    }
    while (await environment().send({ node: { ...node, simulateAll } }));
    assert.deepEqual(await environment().events(id), [])
    clock.advance(1_001)
    assert.equal((await environment().finish(id)).status, 'confirmed')
  })

  it('because its receiver is frozen is refunded alone', async () => {
    const { chain } = environment()
    const destination = newDestination()
    await chain.freeze('USDC', destination, true)
    const bad = [
      await environment().submit({ destination }),
      await environment().submit({ destination }),
    ]
    const good = await environment().submit()
    await environment().approve()
    for (const { id } of bad) {
      const end = await environment().finish(id)
      assert.equal(end.status, 'refunded')
      assert.match(end.failureReason ?? '', /^not_payable: /)
    }
    assert.equal((await environment().finish(good.id)).status, 'confirmed')
  })
}
