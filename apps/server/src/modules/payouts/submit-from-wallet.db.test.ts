// Withdrawals from a wallet in cents, on a real node.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { NODE_INTERFACE, returning } from '../../../../../tests/support/chains/index.ts'
import { sql } from '../../infra/db.ts'
import { newId } from '../../kernel/id.ts'
import { cents } from '../../kernel/money.ts'
import { closeAccount } from '../buying/testing/buyers.ts'
import { auditCustody } from '../custody/index.ts'
import { aMerchant } from '../identity/testing/accounts.ts'
import { readBalance } from '../ledger/index.ts'
import { credit } from '../ledger/testing/wallets.ts'
import { auditOutbound } from '../outbound/index.ts'
import {
  auditPayouts,
  pageWithdrawals,
  quoteWithdrawalFees,
  refuseWithdrawal,
  type WalletStage,
  walletStageOf,
} from './index.ts'
import {
  NO_LIMITS,
  newDestination,
  type PayoutEnvironment,
  payoutEnvironment,
  refusal,
} from './testing/environment.ts'

let environment: PayoutEnvironment
before(async () => {
  environment = await payoutEnvironment()
})
after(async () => {
  for (const audit of [auditCustody, auditOutbound, auditPayouts]) {
    assert.deepEqual(await audit(environment.db), [])
  }
  await environment.close()
})

const held = (address: string, token: `0x${string}` | null) =>
  environment.node.balanceOf(address as `0x${string}`, token)
const contract = async (token: string) =>
  (await environment.networks.find('ethereum', token))?.address ?? null

const COMMITS = sql(
  'test_commits',
  'select count(distinct xmin::text)::int commits from payouts.withdrawal where owner_id = $1',
)

describe('a withdrawal from a wallet', () => {
  it('debits the amount, pays it less both fees without a callback, and returns it when it fails', async () => {
    const account = await aMerchant(environment.db)
    const accountId = account.id
    await credit(environment.db, account, cents(100_000n))
    const posts = environment.sink.received.length
    const destination = newDestination()
    const { withdrawal, receiveCents, isCovered } = await environment.submitFromWallet({
      ...{ accountId, amountCents: cents(10_000n), destination },
    })
    assert.equal(isCovered, true)
    assert.equal(receiveCents, 10_000n - withdrawal.feeCents - 50n)
    assert.equal((await environment.finish(withdrawal.id)).status, 'confirmed')
    assert.equal(await held(destination, await contract('USDC')), receiveCents * 10_000n)
    assert.equal(environment.sink.received.length, posts)
    assert.deepEqual(await environment.events(withdrawal.id), [])
    const rejecting = await environment.chain.deploy('RejectingReceiver')
    const failing = await environment.submitFromWallet({
      ...{ accountId, amountCents: cents(10_000n), destination: rejecting, token: 'NATIVE' },
    })
    assert.equal((await environment.finish(failing.withdrawal.id)).status, 'refunded')
    assert.equal(await readBalance(environment.db, accountId), 90_000n)
    const beyond = environment.submitFromWallet({ accountId, amountCents: cents(90_001n) })
    assert.equal(await refusal(beyond), 'INSUFFICIENT_BALANCE')
  })

  it('is one for its key, with one answer, also while the hot wallet cannot pay it', async () => {
    const account = await aMerchant(environment.db)
    await credit(environment.db, account, cents(1_000_000n))
    const rich = await environment.node.balanceOf(environment.hot, await contract('USDT'))
    const request = {
      ...{ accountId: account.id, idempotencyKey: newId(), token: 'USDT' },
      ...{ amountCents: cents(rich / 10_000n + 10_000n), destination: newDestination() },
    }
    const all = await Promise.all(
      Array.from({ length: 8 }, () => environment.submitFromWallet(request)),
    )
    const [first] = all
    assert.ok(first)
    assert.equal(first.isCovered, false)
    for (const one of all) assert.deepEqual(one, first)
    const { id } = first.withdrawal
    const shown = async (stage: WalletStage | null) => {
      const found = await pageWithdrawals(environment.db, account.id, { page: 1, limit: 5, stage })
      return [found.total, ...found.withdrawals.map(walletStageOf)]
    }
    assert.deepEqual([await shown('queued'), await shown('pending')], [[1, 'queued'], [0]])
    while (await environment.send());
    await environment.chain.pay(environment.hot, 'USDT', rich)
    await environment.chain.mine(1)
    environment.clock.advance(6_000)
    assert.equal((await environment.finish(id)).status, 'confirmed')
    assert.deepEqual(await shown(null), [1, 'completed'])
    assert.deepEqual(await environment.submitFromWallet(request), first)
    assert.equal(
      await refusal(environment.submitFromWallet({ ...request, token: 'USDC' })),
      'IDEMPOTENCY_CONFLICT',
    )
    const balanceNow = await readBalance(environment.db, account.id)
    assert.equal(balanceNow, 1_000_000n - request.amountCents)
    // Written together, and still not the same request.
    const other = { ...request, idempotencyKey: newId(), amountCents: cents(1_000n) }
    const both = ['USDT', 'USDC'].map((token) => environment.submitFromWallet({ ...other, token }))
    assert.deepEqual((await Promise.all(both.map(refusal))).sort(), [
      'IDEMPOTENCY_CONFLICT',
      undefined,
    ])
  })

  it('of an account that was deleted or suspended meanwhile is refused, and debits nothing', async () => {
    for (const [state, key] of [
      ['deleted', 'USER_NOT_FOUND'],
      ['suspended', 'ACCOUNT_SUSPENDED'],
    ] as const) {
      const account = await aMerchant(environment.db)
      await credit(environment.db, account, cents(10_000n))
      await closeAccount(environment.db, account.id, state)
      const withdrawing = environment.submitFromWallet({
        ...{ accountId: account.id, amountCents: cents(5_000n) },
      })
      assert.equal(await refusal(withdrawing), key)
      assert.equal(await readBalance(environment.db, account.id), 10_000n)
    }
  })

  it('counts against the limits together with those of its partner', async () => {
    const [one, other] = [await aMerchant(environment.db), await aMerchant(environment.db)]
    for (const account of [one, other]) await credit(environment.db, account, cents(10_000n))
    environment.limits = { ...NO_LIMITS, perMerchantDay: cents(9_000n) }
    const from = (accountId: string) =>
      environment.submitFromWallet({ accountId, tenantId: one.id, amountCents: cents(5_000n) })
    const [first, second] = [await from(one.id), await from(other.id)]
    environment.limits = NO_LIMITS
    const { heldReason, id } = await environment.read(second.withdrawal.id)
    assert.equal(heldReason, 'over_merchant_limit')
    assert.equal((await environment.finish(first.withdrawal.id)).status, 'confirmed')
    await environment.db.transaction((tx) => refuseWithdrawal(tx, id, environment.clock.now()))
    assert.equal(await readBalance(environment.db, other.id), 10_000n)
  })

  it('leaves while it fits under the limit of a day: of 50 at once as many, again after a refund, and after 24 hours', async () => {
    const account = await aMerchant(environment.db)
    await credit(environment.db, account, cents(600_000n))
    environment.limits = { ...NO_LIMITS, perMerchantDay: cents(200_000n) }
    const submit = async () => {
      const { withdrawal } = await environment.submitFromWallet({
        ...{ accountId: account.id, amountCents: cents(10_000n) },
      })
      return environment.read(withdrawal.id)
    }
    const refuse = ({ id }: { readonly id: string }) =>
      environment.db.transaction((tx) => refuseWithdrawal(tx, id, environment.clock.now()))
    const all = await Promise.all(Array.from({ length: 50 }, submit))
    const [{ commits = 50 } = {}] = await environment.db.query<{ commits: number }>(COMMITS, [
      account.id,
    ])
    assert.ok(commits < 50, `${commits} commits`)
    const leaving = all.filter(({ heldReason }) => heldReason === null)
    assert.equal(leaving.length, 20)
    for (const one of all) if (one.heldReason !== null) await refuse(one)
    const late = await submit()
    assert.equal(late.heldReason, 'over_merchant_limit')
    await refuse(late)
    const [first, ...others] = leaving
    assert.ok(first)
    assert.equal(await refuse(first), 'refunded')
    const fitting = await submit()
    assert.equal(fitting.heldReason, null)
    environment.clock.advance(24 * 3_600_000 - 1)
    const early = await submit()
    assert.equal(early.heldReason, 'over_merchant_limit')
    await refuse(early)
    environment.clock.advance(1)
    const nextDay = await submit()
    assert.equal(nextDay.heldReason, null)
    for (const one of [...others, fitting, nextDay]) assert.equal(await refuse(one), 'refunded')
    // A request that comes again counts once, also when it is written together with others.
    environment.limits = { ...NO_LIMITS, perMerchantDay: cents(20_000n) }
    const again = {
      ...{ accountId: account.id, amountCents: cents(10_000n) },
      ...{ destination: newDestination(), idempotencyKey: newId() },
    }
    const requests = [again, again, again, { ...again, idempotencyKey: newId() }]
    const answers = await Promise.all(requests.map(environment.submitFromWallet))
    environment.limits = NO_LIMITS
    for (const id of new Set(answers.map(({ withdrawal }) => withdrawal.id))) {
      const one = await environment.read(id)
      assert.equal(one.heldReason, null)
      assert.equal(await refuse(one), 'refunded')
    }
    assert.equal(await readBalance(environment.db, account.id), 600_000n)
  })

  it('is quoted on each chain that is on, and leaves something to pay', async () => {
    const [quote, ...others] = await quoteWithdrawalFees(environment.networks, 'USDC')
    assert.deepEqual([quote?.chain, others], ['ethereum', []])
    const account = await aMerchant(environment.db)
    await credit(environment.db, account, cents(10_000n))
    const setBaseFee = async (gwei: bigint): Promise<void> => {
      const wei = `0x${(gwei * 10n ** 9n).toString(16)}`
      await environment.chain.rpc('anvil_setNextBlockBaseFeePerGas', [wei])
      await environment.chain.mine(1)
      environment.clock.advance(6_000)
    }
    await setBaseFee(100n)
    const refused = environment.submitFromWallet({
      accountId: account.id,
      amountCents: cents(500n),
    })
    assert.equal(await refusal(refused), 'CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE')
    await setBaseFee(1n)
  })

  it('is quoted on arbitrum with the gas for its data', async () => {
    const { chain, clock } = environment
    const networks = environment.networksOf('arbitrum')
    await chain.rpc('anvil_setChainId', [42161])
    try {
      const quote = async (dataGas: bigint) => {
        await chain.rpc('anvil_setCode', [NODE_INTERFACE, returning(dataGas, 3)])
        await chain.setNextBaseFee(10n ** 9n)
        await chain.mine(1)
        clock.advance(6_000)
        return (await networks.find('arbitrum', 'NATIVE'))?.feeCents ?? 0n
      }
      const [without, withData] = [await quote(0n), await quote(2_000_000n)]
      // Two million gas at 3 gwei, with 1 ETH at 2,000 dollars.
      assert.ok(without > 0n && without < 100n)
      assert.equal(withData - without, 1_200n)
    } finally {
      await chain.rpc('anvil_setChainId', [chain.network.chainId])
      await chain.rpc('anvil_setCode', [NODE_INTERFACE, '0x'])
    }
  })
})
