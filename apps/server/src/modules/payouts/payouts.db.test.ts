// Withdrawals on a real node: P1 to P13 of the plan. Each test leaves the wallet with nothing under way.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../infra/db.ts'
import { newId } from '../../kernel/id.ts'
import { cents } from '../../kernel/money.ts'
import { auditCustody, readBalance } from '../custody/index.ts'
import { createAdmin } from '../identity/index.ts'
import {
  auditOutbound,
  haltWallet,
  listWallets,
  readFigures,
  reopenWallet,
} from '../outbound/index.ts'
import { addPerson } from '../people/index.ts'
import { auditPayouts, decideNoEffect, refuseWithdrawal, releaseHeld } from './index.ts'
import { Crash, createSteps } from './testing/crash.ts'
import {
  NO_LIMITS,
  newDestination,
  type PayoutEnvironment,
  payoutEnvironment,
  refusal,
  SECRET,
  TREASURY,
} from './testing/environment.ts'
import { keeping, MANY_ATTEMPTS } from './testing/pool.ts'
import { WITHDRAWAL_STATUSES, WITHDRAWAL_TRANSITIONS } from './withdrawal.ts'

let environment: PayoutEnvironment
before(async () => {
  environment = await payoutEnvironment()
  await environment.fund('USDC', 10n ** 13n)
  await environment.fund('USDT', 10n ** 13n)
  await environment.fund('NATIVE', 10n ** 20n)
})
after(async () => {
  for (const audit of [auditCustody, auditOutbound, auditPayouts]) {
    assert.deepEqual(await audit(environment.db), [])
  }
  await environment.close()
})

const custody = () => ({ role: 'merchant', ownerId: environment.merchantId }) as const
const balance = (token = 'USDC'): Promise<bigint> =>
  readBalance(environment.db, custody(), { chain: 'ethereum', token })
const held = (address: string, token: `0x${string}` | null) =>
  environment.node.balanceOf(address as `0x${string}`, token)
const contract = async (token: string) =>
  (await environment.networks.find('ethereum', token))?.address ?? null

/** Approved and sent, not mined. */
async function sent(
  change: Parameters<PayoutEnvironment['submit']>[0] = {},
  parts: Parameters<PayoutEnvironment['send']>[0] = {},
) {
  const { id } = await environment.submit(change)
  await environment.approve()
  while (await environment.send(parts));
  return environment.read(id)
}

describe('a withdrawal', () => {
  it('goes only the ways of the table, in the database too', async () => {
    const [row] = await environment.db.query<{ text: string }>({
      name: '',
      text: "select pg_get_functiondef('payouts.withdrawal_guard'::regproc) text",
    })
    const found = [...(row?.text ?? '').matchAll(/\('(\w+)', '(\w+)'\)/g)]
    const known = WITHDRAWAL_STATUSES.flatMap((from) =>
      Object.keys(WITHDRAWAL_TRANSITIONS[from]).map((to) => `${from} ${to}`),
    )
    assert.deepEqual(found.map(([, from, to]) => `${from} ${to}`).sort(), known.sort())
    const { id } = await environment.submit()
    for (const change of ["status = 'confirmed'", 'units = units + 1', "destination = '0x'"]) {
      const text = `update payouts.withdrawal set ${change} where id = '${id}'`
      await assert.rejects(environment.db.script(text), /does not go|stays as it was requested/)
    }
    assert.equal((await environment.finish(id)).status, 'confirmed')
  })

  for (const token of ['USDC', 'USDT', 'NATIVE']) {
    it(`of ${token} is paid, and its events come in order`, async () => {
      const before = await balance(token)
      const destination = newDestination()
      const { id, units, feeUnits, status } = await environment.submit({ token, destination })
      assert.equal(status, 'pending_callback')
      assert.equal(await balance(token), before - units - feeUnits)
      const end = await environment.finish(id)
      assert.equal(end.status, 'confirmed')
      assert.equal(await held(destination, await contract(token)), units)
      assert.equal(await balance(token), before - units - feeUnits)
      assert.deepEqual(await environment.events(id), ['broadcast', 'confirmed'])
      const [approval] = environment.sink.received.filter(({ body }) => body.includes(id))
      assert.ok(approval)
      const { data, type } = JSON.parse(approval.body)
      assert.equal(type, 'payout.crypto.withdraw.approval')
      assert.deepEqual(
        [data.withdrawal.status, data.withdrawal.callbackAttempts],
        ['pending_callback', 1],
      )
      const { 'webhook-id': webhookId, 'webhook-timestamp': timestamp } = approval.headers
      const signature = createHmac('sha256', SECRET)
        .update(`${webhookId}.${timestamp}.${approval.body}`)
        .digest('base64url')
      assert.equal(approval.headers['webhook-signature'], `t=${timestamp},s=${signature}`)
    })
  }

  it('is not confirmed before the chain’s depth', async () => {
    const { id } = await sent()
    await environment.chain.mine(1)
    await environment.track()
    await environment.chain.mine(1)
    await environment.track()
    assert.equal((await environment.read(id)).status, 'broadcast')
    await environment.chain.mine(1)
    await environment.track()
    assert.equal((await environment.read(id)).status, 'confirmed')
  })

  it('is one for its external id: 8 at once get one answer, another body is a conflict', async () => {
    const before = await balance()
    const request = { externalId: newId(), destination: newDestination() }
    const all = await Promise.all(Array.from({ length: 8 }, () => environment.submit(request)))
    const [first] = all
    assert.ok(first)
    for (const one of all) assert.deepEqual(one, first)
    assert.equal(await balance(), before - first.units - first.feeUnits)
    assert.equal((await environment.finish(first.id)).status, 'confirmed')
    assert.deepEqual(await environment.submit(request), first)
    const other = environment.submit({ ...request, amountCents: cents(2_501n) })
    assert.equal(await refusal(other), 'IDEMPOTENCY_CONFLICT')
  })
})

describe('a withdrawal is refused', () => {
  const checksummed = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const cases: [string, Parameters<PayoutEnvironment['submit']>[0], string][] = [
    ['to the zero address', { destination: `0x${'0'.repeat(40)}` }, 'DESTINATION_INVALID'],
    ['to what is no address', { destination: '0x1234' }, 'DESTINATION_INVALID'],
    [
      'with a wrong checksum',
      { destination: checksummed.replace('C8', 'c8') },
      'DESTINATION_INVALID',
    ],
    ['of 0.99', { amountCents: cents(99n) }, 'AMOUNT_OUT_OF_RANGE'],
    ['of 100,000.01', { amountCents: cents(10_000_001n) }, 'AMOUNT_OUT_OF_RANGE'],
    ['on a chain that is off', { chain: 'base' }, 'CHAIN_UNSUPPORTED'],
    ['on no chain', { chain: 'mars' }, 'CHAIN_UNSUPPORTED'],
  ]
  for (const [what, change, key] of cases) {
    it(what, async () =>
      assert.equal(await refusal(environment.submit(change)), `CRYPTO_PAYOUT_${key}`),
    )
  }

  it('to a token contract, to our own wallet or treasury, and beyond the balance', async () => {
    const destination = (await contract('USDT')) ?? ''
    const key = 'CRYPTO_PAYOUT_DESTINATION_INVALID'
    assert.equal(await refusal(environment.submit({ destination })), key)
    for (const own of [environment.hot, environment.hot.toLowerCase(), TREASURY]) {
      assert.equal(await refusal(environment.submit({ destination: own })), key)
    }
    const poor = environment.submit({
      merchantId: environment.merchantId,
      token: 'NATIVE',
      amountCents: cents(10_000_000n),
      externalId: newId(),
    })
    await environment.finish((await poor).id)
    const left = await balance('NATIVE')
    assert.ok(left > 0n)
    const many = await Promise.all(
      [1, 2, 3].map(() =>
        refusal(environment.submit({ token: 'NATIVE', amountCents: cents(10_000_000n) })),
      ),
    )
    assert.ok(many.includes('CRYPTO_PAYOUT_INSUFFICIENT_BALANCE'))
    const open = await environment.db.query<{ id: string }>({
      name: '',
      text: "select id from payouts.withdrawal where status = 'pending_callback'",
    })
    for (const { id } of open) await environment.finish(id)
  })

  it('in one case of letters is taken as it is', async () => {
    for (const destination of [newDestination(), `0x${newDestination().slice(2).toUpperCase()}`]) {
      const one = await environment.submit({ destination })
      assert.equal(one.destination, destination)
      assert.equal((await environment.finish(one.id)).status, 'confirmed')
    }
  })
})

describe('a process that dies', () => {
  it('at any step of signing and sending pays once all the same', async () => {
    let steps = Number.MAX_SAFE_INTEGER
    for (let crashAt = 1; crashAt <= steps; crashAt++) {
      const destination = newDestination()
      const { id, units } = await environment.submit({ destination })
      await environment.approve()
      const broken = createSteps(environment, crashAt)
      try {
        while (await environment.send(broken));
        steps = broken.taken()
      } catch (error) {
        if (!(error instanceof Crash)) throw error
      }
      environment.clock.advance(2_001)
      const end = await environment.finish(id)
      assert.equal(end.status, 'confirmed', `crash at step ${crashAt}`)
      assert.equal(await held(destination, await contract('USDC')), units)
      assert.deepEqual(await environment.events(id), ['broadcast', 'confirmed'])
    }
    assert.ok(steps > 10)
  })

  it('at any step of tracking confirms once all the same', async () => {
    let steps = Number.MAX_SAFE_INTEGER
    for (let crashAt = 1; crashAt <= steps; crashAt++) {
      const { id } = await sent()
      await environment.chain.mine(3)
      const broken = createSteps(environment, crashAt)
      try {
        await environment.track(broken)
        steps = broken.taken()
      } catch (error) {
        if (!(error instanceof Crash)) throw error
      }
      await environment.track()
      assert.deepEqual(
        await environment.events(id),
        ['broadcast', 'confirmed'],
        `crash at step ${crashAt}`,
      )
    }
  })
})

describe('a batch', () => {
  const nextNonce = async () => (await listWallets(environment.db))[0]?.nextNonce ?? 0
  const submitted = async (changes: readonly Parameters<PayoutEnvironment['submit']>[0][]) => {
    const all = await Promise.all(changes.map((change) => environment.submit(change)))
    await environment.approve()
    return { all, read: () => Promise.all(all.map(({ id }) => environment.read(id))) }
  }

  it('that a crash cuts off before its second send is sent to its end, each once', async () => {
    const first = await nextNonce()
    const { all, read } = await submitted([{}, {}, {}])
    let sends = 0
    const send: typeof environment.node.send = async (raw) => {
      sends += 1
      if (sends === 2) throw new Crash('the second send')
      return environment.node.send(raw)
    }
    await assert.rejects(environment.send({ node: { ...environment.node, send } }), Crash)
    assert.deepEqual([sends, await nextNonce()], [2, first + 3])
    while (await environment.send());
    await environment.chain.mine(3)
    await environment.track()
    for (const { status } of await read()) assert.equal(status, 'confirmed')
    assert.equal(await environment.node.nonceOf(environment.hot), first + 3)
    for (const { id } of all) {
      assert.deepEqual(await environment.events(id), ['broadcast', 'confirmed'])
    }
  })

  it('of which the chain would refuse one pays the others, without a hole in the nonces', async () => {
    const first = await nextNonce()
    const destination = await environment.chain.deploy('RejectingReceiver')
    const { read } = await submitted([{}, { token: 'NATIVE', destination }, {}])
    while (await environment.send());
    await environment.chain.mine(3)
    await environment.track()
    const ends = (await read()).map(({ status }) => status)
    assert.deepEqual(ends, ['confirmed', 'refunded', 'confirmed'])
    assert.equal(await nextNonce(), first + 2)
    assert.equal(await environment.node.nonceOf(environment.hot), first + 2)
  })

  it('is not sent on by a process that lost its lease', async () => {
    const { all, read } = await submitted([{}, {}])
    const lost = new AbortController()
    const send: typeof environment.node.send = (raw) => {
      lost.abort()
      return environment.node.send(raw)
    }
    await environment.send({ node: { ...environment.node, send } }, lost.signal)
    const states = (await read()).map(({ status }) => status).sort()
    assert.deepEqual(states, ['broadcast', 'queued'])
    for (const { id } of all) assert.equal((await environment.finish(id)).status, 'confirmed')
  })
})

describe('the node', () => {
  it('that takes a transaction and loses its answer pays once', async () => {
    const destination = newDestination()
    environment.proxy.script('drop_answer')
    const { id, units } = await environment.submit({ destination })
    await environment.approve()
    await environment.send()
    environment.clock.advance(2_001)
    assert.equal((await environment.finish(id)).status, 'confirmed')
    assert.equal(await held(destination, await contract('USDC')), units)
  })

  it('that forgets a transaction is sent the same bytes again', async () => {
    environment.proxy.script('swallow_send')
    const { id, txHash } = await sent()
    await environment.chain.mine(1)
    await environment.track()
    assert.equal((await environment.read(id)).status, 'broadcast')
    environment.clock.advance(15_000)
    await environment.track()
    const end = await environment.finish(id)
    assert.deepEqual([end.status, end.txHash], ['confirmed', txHash])
  })

  it('that leaves a transaction unmined is sent a dearer one; one of the two is mined', async () => {
    const destination = newDestination()
    const { parts } = keeping(environment.node, 1)
    const { id, txHash, units } = await sent({ destination }, parts)
    await environment.pass(30, { parts })
    assert.equal((await environment.read(id)).status, 'broadcast')
    await environment.pass(15, { parts })
    const end = await environment.finish(id)
    assert.equal(end.status, 'confirmed')
    assert.notEqual(end.txHash, txHash)
    assert.equal(await held(destination, await contract('USDC')), units)
    assert.deepEqual(await environment.events(id), ['broadcast', 'confirmed'])
  })

  it('that mines the first one although a dearer one was sent pays once', async () => {
    const destination = newDestination()
    const { kept, parts } = keeping(environment.node)
    const { id, txHash, units } = await sent({ destination }, parts)
    await environment.pass(40, { parts })
    assert.equal(kept.length, 2)
    await environment.node.send(kept[0] ?? '0x')
    const end = await environment.finish(id)
    assert.deepEqual([end.status, end.txHash], ['confirmed', txHash])
    assert.equal(await held(destination, await contract('USDC')), units)
  })

  it('is offered no more while its head stands still, above the cap, or after many attempts', async () => {
    const { kept, parts } = keeping(environment.node)
    const { id } = await sent({}, parts)
    const isAtCap = async () =>
      (await readFigures(environment.db)).some(({ holdReason }) => holdReason === 'fee_cap')
    await environment.pass(90, { parts, isHalted: true })
    assert.deepEqual([kept.length, await isAtCap()], [1, false])
    await environment.pass(15, { parts: { ...parts, mostFeePerGas: 1n } })
    assert.deepEqual([kept.length, await isAtCap()], [1, true])
    await environment.pass(5, { parts })
    assert.deepEqual([kept.length, await isAtCap()], [2, false])
    await environment.db.query(sql('test.many', MANY_ATTEMPTS), [id])
    await environment.pass(50, { parts })
    assert.deepEqual([kept.length, await isAtCap()], [3, true])
    await environment.node.send(kept[1] ?? '0x')
    assert.equal((await environment.finish(id)).status, 'confirmed')
  })

  it('that re-organises a payment away gets the same bytes again, and one is final', async () => {
    const destination = newDestination()
    const { id, txHash, units } = await sent({ destination })
    await environment.chain.mine(1)
    await environment.track()
    await environment.chain.reorg(1)
    await environment.track()
    const end = await environment.finish(id)
    assert.deepEqual([end.status, end.txHash], ['confirmed', txHash])
    assert.equal(await held(destination, await contract('USDC')), units)
  })

  it('that is away leaves everything as it is, in each state', async () => {
    const { id } = await environment.submit()
    await environment.approve()
    environment.proxy.refuse('eth_getTransactionCount', 'eth_blockNumber')
    await assert.rejects(environment.send())
    assert.equal((await environment.read(id)).status, 'queued')
    environment.proxy.refuse()
    while (await environment.send());
    environment.proxy.refuse('eth_getTransactionCount', 'eth_blockNumber')
    await assert.rejects(environment.track())
    assert.equal((await environment.read(id)).status, 'broadcast')
    environment.proxy.refuse()
    assert.equal((await environment.finish(id)).status, 'confirmed')
  })
})

describe('a payment that cannot be made', () => {
  it('because the chain would refuse it is refunded without a signature', async () => {
    const before = await balance('NATIVE')
    const destination = await environment.chain.deploy('RejectingReceiver')
    const { id } = await environment.submit({ token: 'NATIVE', destination })
    const end = await environment.finish(id)
    assert.equal(end.status, 'refunded')
    assert.match(end.failureReason ?? '', /^not_payable/)
    assert.equal(await balance('NATIVE'), before)
    assert.deepEqual(await environment.events(id), ['refunded'])
  })

  it('because it reverts on the chain is refunded once, after the confirmations', async () => {
    const before = await balance('NATIVE')
    const destination = newDestination()
    const { id } = await sent({ token: 'NATIVE', destination })
    // The receiver turns into a contract that refuses payments after the simulation.
    const code = await environment.chain.rpc<string>('eth_getCode', [
      await environment.chain.deploy('RejectingReceiver'),
      'latest',
    ])
    await environment.chain.rpc('anvil_setCode', [destination, code])
    await environment.chain.mine(1)
    await environment.track()
    assert.equal((await environment.read(id)).status, 'broadcast')
    const end = await environment.finish(id)
    assert.deepEqual([end.status, end.failureReason], ['refunded', 'onchain_revert'])
    assert.equal(await balance('NATIVE'), before)
    assert.deepEqual(await environment.events(id), ['broadcast', 'refunded'])
  })

  it('because its token moves nothing is not confirmed, and an operator decides', async () => {
    const before = await balance()
    const token = (await contract('USDC')) ?? '0x'
    const codeOf = (address: string) =>
      environment.chain.rpc<string>('eth_getCode', [address, 'latest'])
    const { id } = await sent()
    // The token turns into one that returns false after the simulation.
    const code = await codeOf(token)
    const broken = await codeOf(await environment.chain.deploy('FalseToken'))
    await environment.chain.rpc('anvil_setCode', [token, broken])
    await environment.chain.mine(4)
    await environment.chain.rpc('anvil_setCode', [token, code])
    await environment.track()
    const { status, heldReason } = await environment.read(id)
    assert.deepEqual([status, heldReason], ['broadcast', 'no_effect'])
    assert.ok(environment.alarms.some(({ alarm }) => alarm === 'outbound_no_effect'))
    const at = environment.clock.now()
    await environment.db.transaction((tx) => decideNoEffect(tx, id, { paid: false, at }))
    const end = await environment.read(id)
    assert.deepEqual([end.status, end.failureReason], ['refunded', 'no_effect'])
    assert.equal(await balance(), before)
  })

  it('because the hot wallet is low waits, and proceeds after a refill', async () => {
    const { id } = await environment.submit({ token: 'USDT', amountCents: cents(200_000n) })
    await environment.approve()
    assert.equal(await environment.send(), false)
    assert.equal((await environment.read(id)).status, 'queued')
    await environment.chain.pay(environment.hot, 'USDT', 2_000_000_000n)
    await environment.chain.mine(1)
    environment.clock.advance(1_001)
    assert.equal((await environment.finish(id)).status, 'confirmed')
  })
})

/** Withdrawals that people were notified of, because they wait for an operator. */
async function mails(template = 'withdrawal_waiting'): Promise<string[]> {
  const queued = await environment.db.query<{ id: string }>(
    sql('test.mails', `select facts->>'id' id from mail.message where template = $1`),
    [template],
  )
  return queued.map(({ id }) => id).sort()
}

describe('an operator', () => {
  it('releases and refuses what is above a limit', async () => {
    const before = await balance()
    const at = environment.clock.now()
    await environment.db.transaction((tx) =>
      addPerson(tx, {
        ...{ email: 'finance@example.com', passwordHash: 'none', at },
        membership: { accountId: environment.merchantId, accountKind: 'merchant', role: 'finance' },
      }),
    )
    await environment.db.transaction(async (tx) => {
      const email = 'administrator@example.com'
      const { id: accountId } = await createAdmin(tx, { email, name: 'A', at })
      const membership = { accountId, accountKind: 'admin', role: 'administrator' } as const
      await addPerson(tx, { email, passwordHash: 'none', at, membership })
    })
    environment.limits = { ...NO_LIMITS, perTransaction: cents(2_000n) }
    const [a, b] = [await environment.submit(), await environment.submit()]
    await environment.approve()
    assert.equal(await environment.send(), false)
    assert.deepEqual(
      [(await environment.read(a.id)).heldReason, (await environment.read(b.id)).heldReason],
      ['over_transaction_limit', 'over_transaction_limit'],
    )
    assert.deepEqual(await mails(), [a.id, b.id].sort())
    assert.deepEqual(await mails('withdrawal_to_release'), [a.id, b.id].sort())
    await environment.db.transaction((tx) => releaseHeld(tx, a.id, environment.clock.now()))
    const answer = await environment.db.transaction((tx) =>
      refuseWithdrawal(tx, b.id, environment.clock.now()),
    )
    assert.equal(answer, 'refunded')
    environment.limits = NO_LIMITS
    assert.equal((await environment.finish(a.id)).status, 'confirmed')
    assert.equal((await environment.read(b.id)).failureReason, 'operator_refused')
    assert.equal(await balance(), before - a.units - a.feeUnits)
  })

  it('holds what is above the limit of a day, of which two at once do not both get the rest', async () => {
    environment.clock.advance(25 * 3_600_000)
    environment.limits = { ...NO_LIMITS, perMerchantDay: cents(4_000n) }
    const both = [await environment.submit(), await environment.submit()]
    await environment.approve()
    const reasons = await Promise.all(
      both.map(async ({ id }) => (await environment.read(id)).heldReason),
    )
    assert.deepEqual(new Set(reasons), new Set(['over_merchant_limit', null]))
    environment.limits = NO_LIMITS
    for (const { id } of both) {
      if ((await environment.read(id)).heldReason) {
        await environment.db.transaction((tx) => releaseHeld(tx, id, environment.clock.now()))
      }
      assert.equal((await environment.finish(id)).status, 'confirmed')
    }
  })

  it('stops a payment that was sent by filling its nonce; it is refunded when the filler is final', async () => {
    const before = await balance()
    environment.proxy.script('swallow_send')
    const { id } = await sent()
    const answer = await environment.db.transaction((tx) =>
      refuseWithdrawal(tx, id, environment.clock.now()),
    )
    assert.equal(answer, 'requested')
    assert.equal((await environment.read(id)).status, 'broadcast')
    const end = await environment.finish(id)
    assert.deepEqual([end.status, end.failureReason], ['refunded', 'transaction_replaced'])
    assert.equal(await balance(), before)
  })
})

describe('a foreign transaction with a nonce of ours', () => {
  it('halts the wallet and refunds nothing; after the operator reopens it, what it displaced is refunded', async () => {
    const before = await balance()
    environment.proxy.script('swallow_send')
    const { id } = await sent()
    await environment.chain.impersonate(environment.hot)
    const to = newDestination()
    const foreign = await environment.chain.send({ from: environment.hot, to, value: 1n })
    await environment.chain.mine(4)
    await environment.track()
    environment.clock.advance(24 * 3_600_000)
    await environment.track()
    assert.equal((await environment.read(id)).status, 'broadcast')
    await environment.chain.mine(10)
    await environment.track()
    const wallet = { chain: 'ethereum', keyRef: 'hot' } as const
    assert.equal((await listWallets(environment.db))[0]?.state, 'halted')
    assert.ok(environment.alarms.some(({ alarm }) => alarm === 'outbound_wallet_halted'))
    const waiting = await environment.submit()
    await environment.approve()
    await environment.send()
    assert.equal((await environment.read(waiting.id)).status, 'queued')
    const why = { reason: 'looked at', foreignHashes: [foreign], at: environment.clock.now() }
    const reopened = async (change: Partial<typeof why>, second = environment.node.second) => {
      await reopenWallet(environment.db, wallet, { ...why, ...change })
      await environment.send({ node: { ...environment.node, second } })
      const [one] = await listWallets(environment.db)
      return [(await environment.read(id)).status, one?.state, one?.haltedReason?.slice(0, 30)]
    }
    const halted = (by: string) => ['broadcast', 'halted', by]
    const unnamed = halted('name the confirmed transaction')
    assert.deepEqual(await reopened({ foreignHashes: [] }), unnamed)
    assert.deepEqual(await reopened({}, null), halted('a second node has to confirm w'))
    const blind = { mined: async () => null }
    assert.deepEqual(await reopened({}, blind), halted('the second node does not show '))
    const away = { mined: () => Promise.reject(new Error('away')) }
    assert.deepEqual(await reopened({}, away), halted('the second node does not answe'))
    assert.deepEqual(await reopened({}), ['refunded', 'open', undefined])
    assert.equal((await environment.finish(waiting.id)).status, 'confirmed')
    assert.equal(await balance(), before - waiting.units - waiting.feeUnits)
    assert.equal((await haltWallet(environment.db, wallet, why))?.state, 'halted')
    await reopenWallet(environment.db, wallet, why)
    await environment.send()
  })
})

describe('50 withdrawals at once', () => {
  it('leave one wallet with contiguous nonces, and all are paid', async () => {
    const first = (await listWallets(environment.db))[0]?.nextNonce ?? 0
    const all = await Promise.all(Array.from({ length: 50 }, () => environment.submit()))
    for (let i = 0; i < 4; i++) await environment.approve()
    while (await environment.send());
    await environment.chain.mine(3)
    await environment.track()
    const ends = await Promise.all(all.map(({ id }) => environment.read(id)))
    assert.ok(ends.every(({ status }) => status === 'confirmed'))
    assert.equal(new Set(ends.map(({ txHash }) => txHash)).size, 50)
    assert.equal((await listWallets(environment.db))[0]?.nextNonce, first + 50)
    assert.equal(await environment.node.nonceOf(environment.hot), first + 50)
  })
})
