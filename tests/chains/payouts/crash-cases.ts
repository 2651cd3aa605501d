// A process that ends between any two of its steps: while it signs, sends, follows, replaces with higher
// fees, fills a nonce, refunds, halts a wallet and reopens it. What comes after it pays once, or refunds
// once.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import {
  haltWallet,
  listWallets,
  reopenWallet,
} from '../../../apps/server/src/modules/crypto/outbound/index.ts'
import { refuseWithdrawal } from '../../../apps/server/src/modules/crypto/payouts/index.ts'
import { type Acts, actsIn } from './acts.ts'
import { Crash, crashAtEachStep } from './crash.ts'
import { newDestination, type PayoutEnvironment } from './environment.ts'
import { keeping } from './pool.ts'

type Subject = () => PayoutEnvironment

export function registerCrashes(environment: Subject): void {
  const acts = actsIn(environment)
  describe('a process that dies', () => {
    registerPayments(environment, acts)
    registerRefunds(environment, acts)
    registerForeignNonce(environment, acts)
  })
  describe('a batch', () => registerBatches(environment))
}

const ATTEMPTS = sql(
  'test.attempts_of',
  `select a.kind, a.hash = t.mined_hash "isMined" from outbound.attempt a
   join outbound.transaction t on t.id = a.transaction_id where t.ref_id = $1 order by a.number`,
)
/** In their order, the mined one marked. */
const attemptsOf = async ({ db }: PayoutEnvironment, withdrawalId: string): Promise<string[]> => {
  const rows = await db.query<{ kind: string; isMined: boolean | null }>(ATTEMPTS, [withdrawalId])
  return rows.map(({ kind, isMined }) => (isMined ? `${kind} mined` : kind))
}

interface Payment {
  readonly id: string
  readonly destination: string
  readonly units: bigint
}

function registerPayments(environment: Subject, acts: Acts): void {
  const paidOnce = async ({ id, destination, units }: Payment, crash: string): Promise<void> => {
    assert.equal((await environment().finish(id)).status, 'confirmed', crash)
    assert.equal(await acts.held(destination, 'USDC'), units, crash)
    assert.deepEqual(await environment().events(id), ['broadcast', 'confirmed'], crash)
  }

  it('at any step of signing and sending pays once all the same', async () => {
    const steps = await crashAtEachStep({
      begin: async () => {
        const destination = newDestination()
        const { id, units } = await environment().submit({ destination })
        await environment().approve()
        return { ...acts.parts(), id, units, destination }
      },
      work: async (broken) => {
        while (await environment().send(broken));
      },
      ends: async (one, crash) => {
        environment().clock.advance(2_001)
        await paidOnce(one, crash)
      },
    })
    assert.ok(steps > 10)
  })

  it('at any step of tracking confirms once all the same', async () => {
    const steps = await crashAtEachStep({
      begin: async () => {
        const destination = newDestination()
        const { id, units } = await acts.sent({ destination })
        await environment().chain.mine(3)
        return { ...acts.parts(), id, units, destination }
      },
      work: (broken) => environment().track(broken),
      ends: async (one, crash) => {
        await environment().track()
        await paidOnce(one, crash)
      },
    })
    assert.ok(steps > 5)
  })

  it('at any step of a replacement with higher fees pays once, with one of the two', async () => {
    const steps = await crashAtEachStep({
      begin: async () => {
        const destination = newDestination()
        const { parts } = keeping(environment().node, 1)
        const { id, units, txHash } = await acts.sent({ destination }, parts)
        await environment().track()
        await environment().chain.mine(5)
        // The next look finds it in no block for too long.
        environment().clock.advance(30_000)
        return { ...acts.parts(), ...parts, id, units, destination, txHash }
      },
      work: async (broken) => {
        await environment().track(broken)
        while (await environment().send(broken));
      },
      ends: async (one, crash) => {
        environment().clock.advance(2_001)
        await paidOnce(one, crash)
        assert.notEqual((await environment().read(one.id)).txHash, one.txHash, crash)
        const attempts = await attemptsOf(environment(), one.id)
        assert.deepEqual(attempts, ['payment', 'payment mined'], crash)
      },
    })
    assert.ok(steps > 10)
  })

  it('that was suspended before a replacement which another one has signed since asks for no second one, and the next replacement is signed', async () => {
    const { node, chain, clock, track, send } = environment()
    const destination = newDestination()
    const { kept, parts } = keeping(node)
    const { id, units } = await acts.sent({ destination }, parts)
    const becomeStuck = async (): Promise<void> => {
      await track(parts)
      await chain.mine(5)
      clock.advance(30_000)
      await track(parts)
    }
    await becomeStuck()
    const suspended = Promise.withResolvers<void>()
    const wakes = Promise.withResolvers<void>()
    const estimateFees: typeof node.estimateFees = async () => {
      const fees = await node.estimateFees()
      suspended.resolve()
      await wakes.promise
      return fees
    }
    const late = send({ node: { ...parts.node, estimateFees } })
    await suspended.promise
    await send(parts)
    wakes.resolve()
    await late
    assert.deepEqual(await attemptsOf(environment(), id), ['payment', 'payment'])
    await becomeStuck()
    await send(parts)
    assert.equal(kept.length, 3)
    await node.send(kept[2] ?? '0x')
    await paidOnce({ id, destination, units }, 'suspended')
    const attempts = await attemptsOf(environment(), id)
    assert.deepEqual(attempts, ['payment', 'payment', 'payment mined'])
  })
}

function registerRefunds(environment: Subject, acts: Acts): void {
  const refundedOnce = async (
    { id, before, token = 'USDC' }: { id: string; before: bigint; token?: string },
    { reason, events }: { reason: RegExp; events: readonly string[] },
    crash: string,
  ): Promise<void> => {
    const end = await environment().finish(id)
    assert.equal(end.status, 'refunded', crash)
    assert.match(end.failureReason ?? '', reason, crash)
    assert.equal(await acts.balance(token), before, crash)
    assert.deepEqual(await environment().events(id), events, crash)
  }
  it('at any step of a payment that the chain would refuse refunds once, and signs nothing', async () => {
    const destination = await environment().chain.deploy('RejectingReceiver')
    const token = 'NATIVE'
    await crashAtEachStep({
      begin: async () => {
        const before = await acts.balance(token)
        const { id } = await environment().submit({ token, destination })
        await environment().approve()
        return { ...acts.parts(), id, before, token }
      },
      work: (broken) => environment().send(broken),
      ends: async (one, crash) => {
        await refundedOnce(one, { reason: /^not_payable/, events: ['refunded'] }, crash)
        assert.deepEqual(await attemptsOf(environment(), one.id), [], crash)
      },
    })
  })

  it('at any step of a payment that reverted refunds once', async () => {
    const token = 'NATIVE'
    await crashAtEachStep({
      begin: async () => {
        const before = await acts.balance(token)
        const destination = newDestination()
        const { id } = await acts.sent({ token, destination })
        await acts.refusePayments(destination)
        await environment().chain.mine(3)
        return { ...acts.parts(), id, before, token }
      },
      work: (broken) => environment().track(broken),
      ends: async (one, crash) => {
        const events = ['broadcast', 'refunded']
        await refundedOnce(one, { reason: /^onchain_revert$/, events }, crash)
      },
    })
  })

  it('at any step of a cancel transaction, from its signature to its end, refunds once', async () => {
    await crashAtEachStep({
      begin: async () => {
        const before = await acts.balance()
        const destination = newDestination()
        environment().proxy.script('swallow_send')
        const { id } = await acts.sent({ destination })
        const at = environment().clock.now()
        await environment().db.transaction((tx) => refuseWithdrawal(tx, id, at))
        return { ...acts.parts(), id, before, destination }
      },
      work: async (broken) => {
        while (await environment().send(broken));
        await environment().chain.mine(3)
        await environment().track(broken)
      },
      ends: async (one, crash) => {
        const events = ['broadcast', 'refunded']
        await refundedOnce(one, { reason: /^transaction_replaced$/, events }, crash)
        assert.equal(await acts.held(one.destination, 'USDC'), 0n, crash)
        const attempts = await attemptsOf(environment(), one.id)
        assert.deepEqual(attempts, ['payment', 'filler mined'], crash)
      },
    })
  })
}

function registerForeignNonce(environment: Subject, acts: Acts): void {
  const wallet = { chain: 'ethereum', keyRef: 'hot' } as const
  const hot = async () => {
    const [found] = await listWallets(environment().db)
    assert.ok(found)
    return found
  }

  it('at any step from a foreign nonce to the reopened wallet refunds once, and counts on', async () => {
    const { chain, clock, hot: from } = environment()
    await crashAtEachStep({
      begin: async () => {
        const before = await acts.balance()
        environment().proxy.script('swallow_send')
        const { id } = await acts.sent()
        await chain.impersonate(from)
        // The first takes the nonce of the payment, the second one that was not given yet.
        const foreign = await chain.send({ from, to: newDestination(), value: 1n })
        await chain.send({ from, to: newDestination(), value: 1n })
        await chain.mine(4)
        await environment().track()
        await chain.mine(10)
        return { ...acts.parts(), id, before, foreign, next: (await hot()).nextNonce }
      },
      work: async (broken, { foreign }) => {
        await environment().track(broken)
        const asked = { reason: 'looked at', foreignHashes: [foreign], at: clock.now() }
        await reopenWallet(broken.db, wallet, asked)
        while (await environment().send(broken));
      },
      ends: async ({ id, before, foreign, next }, crash) => {
        await environment().track()
        if ((await hot()).state === 'halted') {
          const asked = { reason: 'looked at', foreignHashes: [foreign], at: clock.now() }
          await reopenWallet(environment().db, wallet, asked)
        }
        while (await environment().send());
        const end = await environment().read(id)
        assert.deepEqual(
          [end.status, end.failureReason],
          ['refunded', 'transaction_replaced'],
          crash,
        )
        assert.equal(await acts.balance(), before, crash)
        assert.deepEqual(await environment().events(id), ['broadcast', 'refunded'], crash)
        const { state, nextNonce } = await hot()
        assert.deepEqual([state, nextNonce], ['open', next + 1], crash)
        assert.deepEqual(await attemptsOf(environment(), id), ['payment'], crash)
      },
    })
  })
}

function registerBatches(environment: Subject): void {
  const nextNonce = async () => (await listWallets(environment().db))[0]?.nextNonce ?? 0
  const submitted = async (changes: readonly Parameters<PayoutEnvironment['submit']>[0][]) => {
    const all = await Promise.all(changes.map((change) => environment().submit(change)))
    await environment().approve()
    return { all, read: () => Promise.all(all.map(({ id }) => environment().read(id))) }
  }

  it('that a crash cuts off before its second send is sent to its end, each once', async () => {
    const { node, chain, hot } = environment()
    const first = await nextNonce()
    const { all, read } = await submitted([{}, {}, {}])
    let sends = 0
    const send: typeof node.send = async (raw) => {
      sends += 1
      if (sends === 2) throw new Crash('the second send')
      return node.send(raw)
    }
    await assert.rejects(environment().send({ node: { ...node, send } }), Crash)
    assert.deepEqual([sends, await nextNonce()], [2, first + 3])
    while (await environment().send());
    await chain.mine(3)
    await environment().track()
    for (const { status } of await read()) assert.equal(status, 'confirmed')
    assert.equal(await node.nonceOf(hot), first + 3)
    for (const { id } of all) {
      assert.deepEqual(await environment().events(id), ['broadcast', 'confirmed'])
    }
  })

  it('of which the chain would refuse one pays the others, without a hole in the nonces', async () => {
    const { node, chain, hot } = environment()
    const first = await nextNonce()
    const destination = await chain.deploy('RejectingReceiver')
    const { read } = await submitted([{}, { token: 'NATIVE', destination }, {}])
    while (await environment().send());
    await chain.mine(3)
    await environment().track()
    const ends = (await read()).map(({ status }) => status)
    assert.deepEqual(ends, ['confirmed', 'refunded', 'confirmed'])
    assert.equal(await nextNonce(), first + 2)
    assert.equal(await node.nonceOf(hot), first + 2)
  })

  it('of a wallet that is halted after it has its nonces leaves as far as it was sent; the rest when it is reopened', async () => {
    const { db, node, signer, hot, clock } = environment()
    const wallet = { chain: 'ethereum', keyRef: 'hot' } as const
    const why = { reason: 'a drill', foreignHashes: [], at: clock.now() }
    const halt = () => haltWallet(db, wallet, why)
    let sends = 0
    const send: typeof node.send = async (raw) => {
      sends += 1
      const answer = await node.send(raw)
      await halt()
      return answer
    }
    const sign: typeof signer.sign = async (request) => {
      await halt()
      return signer.sign(request)
    }
    const first = await nextNonce()
    const { all, read } = await submitted([{}, {}, {}])
    const states = async () => (await read()).map(({ status }) => status).sort()
    await environment().send({ node: { ...node, send }, signer: { ...signer, sign } })
    assert.deepEqual([sends, await nextNonce()], [0, first + 3])
    assert.deepEqual(await states(), ['queued', 'queued', 'queued'])

    await reopenWallet(db, wallet, why)
    while (await environment().send({ node: { ...node, send } }));
    assert.equal(sends, 1)
    assert.deepEqual(await states(), ['broadcast', 'queued', 'queued'])

    await reopenWallet(db, wallet, why)
    for (const { id } of all) {
      assert.equal((await environment().finish(id)).status, 'confirmed')
      assert.deepEqual(await environment().events(id), ['broadcast', 'confirmed'])
    }
    assert.deepEqual([await nextNonce(), await node.nonceOf(hot)], [first + 3, first + 3])
  })

  it('is not sent on by a process that lost its lease', async () => {
    const { node } = environment()
    const { all, read } = await submitted([{}, {}])
    const lost = new AbortController()
    const send: typeof node.send = (raw) => {
      lost.abort()
      return node.send(raw)
    }
    await environment().send({ node: { ...node, send } }, lost.signal)
    const states = (await read()).map(({ status }) => status).sort()
    assert.deepEqual(states, ['broadcast', 'queued'])
    for (const { id } of all) assert.equal((await environment().finish(id)).status, 'confirmed')
  })
}
