// Withdrawals on a real node: P1 to P13 of the plan. Each test leaves the wallet with nothing under way. The
// cases of crashes and of the chain are in files of their own, and are run here, in one environment.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import { newId } from '../../../apps/server/src/kernel/id.ts'
import { cents } from '../../../apps/server/src/kernel/money.ts'
import {
  createAdmin,
  setAccountStatus,
} from '../../../apps/server/src/modules/accounts/identity/index.ts'
import { addPerson } from '../../../apps/server/src/modules/accounts/people/index.ts'
import {
  auditOutbound,
  listWallets,
} from '../../../apps/server/src/modules/crypto/outbound/index.ts'
import {
  auditPayouts,
  auditWithdrawals,
  refuseWithdrawal,
  releaseHeld,
} from '../../../apps/server/src/modules/crypto/payouts/index.ts'
import {
  addDestination,
  setOnlyKnownDestinations,
} from '../../../apps/server/src/modules/crypto/payouts/store/merchants.ts'
import {
  WITHDRAWAL_STATUSES,
  WITHDRAWAL_TRANSITIONS,
} from '../../../apps/server/src/modules/crypto/payouts/withdrawal.ts'
import { auditCustody } from '../../../apps/server/src/modules/money/custody/index.ts'
import { actsIn } from './acts.ts'
import { registerChainCases } from './chain-cases.ts'
import { registerCrashes } from './crash-cases.ts'
import {
  NO_LIMITS,
  newDestination,
  type PayoutEnvironment,
  payoutEnvironment,
  refusal,
  SECRET,
  TREASURY,
} from './environment.ts'
import { registerFrozenCases } from './frozen-cases.ts'

let environment: PayoutEnvironment
before(async () => {
  environment = await payoutEnvironment()
  await environment.fund('USDC', 10n ** 13n)
  await environment.fund('USDT', 10n ** 13n)
  await environment.fund('NATIVE', 10n ** 20n)
})
after(async () => {
  for (const audit of [auditCustody, auditOutbound, auditPayouts, auditWithdrawals]) {
    assert.deepEqual(await audit(environment.db), [])
  }
  await environment.close()
})

const { balance, contract, held, sent } = actsIn(() => environment)

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
      assert.equal(await held(destination, token), units)
      assert.equal(await balance(token), before - units - feeUnits)
      assert.deepEqual(await environment.events(id), ['broadcast', 'confirmed'])
      const [approval] = environment.receiver.received.filter(({ body }) => body.includes(id))
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

registerCrashes(() => environment)
registerChainCases(() => environment)
registerFrozenCases(() => environment)

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

  it('holds what is approved after its account was suspended, until an operator releases it', async () => {
    const { id, ownerId } = await environment.submit({
      merchantId: await environment.addMerchant(),
    })
    const at = environment.clock.now()
    await environment.db.transaction((tx) => setAccountStatus(tx, ownerId, 'suspended', at))
    await environment.approve()
    assert.equal((await environment.read(id)).heldReason, 'account_suspended')
    await environment.db.transaction((tx) => releaseHeld(tx, id, environment.clock.now()))
    assert.equal((await environment.finish(id)).status, 'confirmed')
  })

  it('holds what waited for its approval when its merchant restricted payouts to a list without its destination', async () => {
    const merchantId = await environment.addMerchant()
    const listed = newDestination()
    const { db, clock } = environment
    await db.transaction((tx) =>
      addDestination(tx, merchantId, { address: listed, at: clock.now() }),
    )
    clock.advance(25 * 3_600_000)
    const [known, other] = [
      await environment.submit({ merchantId, destination: listed }),
      await environment.submit({ merchantId }),
    ]
    const at = clock.now()
    await db.transaction((tx) => setOnlyKnownDestinations(tx, merchantId, { on: true, at }))
    await environment.approve()
    assert.equal((await environment.read(other.id)).heldReason, 'destination_not_listed')
    assert.equal((await environment.finish(known.id)).status, 'confirmed')
    await db.transaction((tx) => refuseWithdrawal(tx, other.id, at))
    assert.equal((await environment.read(other.id)).failureReason, 'operator_refused')
  })

  it('counts against the limit of a day what may leave, and what is held once it is released', async () => {
    environment.clock.advance(25 * 3_600_000)
    const limits = {
      ...{ ...NO_LIMITS, perTransaction: cents(3_000n), perMerchantDay: cents(4_000n) },
    }
    const reasonOf = async (amountCents: bigint) => {
      environment.limits = limits
      const { id } = await environment.submit({ amountCents: cents(amountCents) })
      await environment.approve()
      environment.limits = NO_LIMITS
      return { id, reason: (await environment.read(id)).heldReason }
    }
    const large = await reasonOf(3_500n)
    assert.equal(large.reason, 'over_transaction_limit')
    const small = await reasonOf(1_000n)
    assert.equal(small.reason, null)
    await environment.db.transaction((tx) => releaseHeld(tx, large.id, environment.clock.now()))
    const late = await reasonOf(1_000n)
    assert.equal(late.reason, 'over_merchant_limit')
    await environment.db.transaction((tx) => releaseHeld(tx, late.id, environment.clock.now()))
    for (const { id } of [large, small, late]) {
      assert.equal((await environment.finish(id)).status, 'confirmed')
    }
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

  it('stops a payment that was sent by filling its nonce; it is refunded when the cancel transaction is final', async () => {
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
