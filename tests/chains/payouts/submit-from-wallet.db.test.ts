// Withdrawals from a wallet in cents on a real node; for both kinds, refused destinations and paused tokens.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { getAddress } from 'viem'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import { newId } from '../../../apps/server/src/kernel/id.ts'
import { cents } from '../../../apps/server/src/kernel/money.ts'
import {
  aMerchant,
  aSubUser,
} from '../../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import { createAddressFor } from '../../../apps/server/src/modules/crypto/chains/address.ts'
import {
  auditOutbound,
  listLowWallets,
  listWallets,
  readQueuedUnits,
} from '../../../apps/server/src/modules/crypto/outbound/index.ts'
import {
  auditPayouts,
  pageWithdrawals,
  quoteWithdrawalFees,
  refuseWithdrawal,
  type WalletStage,
  walletStageOf,
} from '../../../apps/server/src/modules/crypto/payouts/index.ts'
import { payable } from '../../../apps/server/src/modules/crypto/payouts/request.ts'
import { auditCustody, readOwnFunds } from '../../../apps/server/src/modules/money/custody/index.ts'
import { readBalance } from '../../../apps/server/src/modules/money/ledger/index.ts'
import { credit } from '../../../apps/server/src/modules/money/ledger/testing/wallets.ts'
import { closeAccount } from '../../../apps/server/src/modules/trading/buying/testing/buyers.ts'
import { NETWORKS, NODE_INTERFACE, returning } from '../../support/chains/index.ts'
import { deriver } from '../watch.ts'
import {
  NO_LIMITS,
  newDestination,
  type PayoutEnvironment,
  payoutEnvironment,
  reasonOf,
  refusal,
  TREASURY,
} from './environment.ts'

let environment: PayoutEnvironment
before(async () => {
  environment = await payoutEnvironment()
  await environment.fund('USDC', 10n ** 13n)
  // What the hot wallet holds on the chain.
  await environment.fundCapital('NATIVE', 10n ** 20n)
  await environment.fundCapital('USDT', 1_000_000_000n)
  await environment.fundCapital('USDC', 10n ** 15n)
})
after(async () => {
  const audits = [auditCustody, auditOutbound, auditPayouts].map((audit) => audit(environment.db))
  assert.deepEqual((await Promise.all(audits)).flat(), [])
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

/** A request that sums the books in kind would wait for this. */
const LOCK_SUMS = sql('test_lock_sums', 'lock table custody.account')

const OWE = sql(
  'test_owe',
  `select ledger.post('adjustment', null, $1, $2, '\\x00', $3, array['USD'::ledger.currency],
     array[ledger.open_account($1, 'deposit_debt', 'USD')], array[ledger.house('adjustment', 'USD')], array[$4::bigint])`,
)
const QUEUED = sql(
  'test_queued',
  `select ref_id id, hold_reason hold from outbound.transaction where state = 'queued' order by sequence`,
)
type Queued = Readonly<{ id: string; hold: string | null }>

describe('a withdrawal from a wallet', () => {
  it('debits the amount, pays it less both fees without a callback, and returns it when it fails', async () => {
    const account = await aMerchant(environment.db)
    const accountId = account.id
    await credit(environment.db, account, cents(100_000n))
    const posts = environment.receiver.received.length
    const destination = newDestination()
    const { withdrawal, receiveCents, isCovered } = await environment.submitFromWallet({
      ...{ accountId, amountCents: cents(10_000n), destination },
    })
    assert.equal(isCovered, true)
    assert.equal(receiveCents, 10_000n - withdrawal.feeCents - 50n)
    assert.equal((await environment.finish(withdrawal.id)).status, 'confirmed')
    assert.equal(await held(destination, await contract('USDC')), receiveCents * 10_000n)
    assert.equal(environment.receiver.received.length, posts)
    assert.deepEqual(await environment.events(withdrawal.id), [])
    const rejecting = await environment.chain.deploy('RejectingReceiver')
    const failing = await environment.submitFromWallet({
      ...{ accountId, amountCents: cents(10_000n), destination: rejecting, token: 'NATIVE' },
    })
    assert.equal((await environment.finish(failing.withdrawal.id)).status, 'refunded')
    assert.equal(await readBalance(environment.db, accountId), 90_000n)
    const beyond = environment.submitFromWallet({ accountId, amountCents: cents(90_001n) })
    await assert.rejects(beyond, {
      key: 'INSUFFICIENT_BALANCE',
      details: { requiredCents: 90_001n, availableCents: 90_000n },
    })
  })

  it('leaves a debtor no money that is owed, however soon it is asked for', async () => {
    const account = await aMerchant(environment.db)
    const [accountId, at] = [account.id, environment.clock.now()]
    await environment.db.query(OWE, [accountId, newId(), at, 70_00n])
    await credit(environment.db, account, cents(100_00n))
    const ask = (amount: bigint) =>
      environment.submitFromWallet({ accountId, amountCents: cents(amount) })
    await assert.rejects(ask(30_01n), {
      key: 'INSUFFICIENT_BALANCE',
      details: { requiredCents: 30_01n, availableCents: 30_00n },
    })
    await ask(30_00n)
    assert.equal(await readBalance(environment.db, accountId), 0n)
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
    await environment.fundCapital('USDT', rich)
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

  it('is never paid out of what merchants have in custody, in the token or for its gas', async () => {
    const { db, fund, fundCapital, submit, submitFromWallet, approve, finish } = environment
    const account = await aMerchant(db)
    await credit(db, account, cents(10_000n))
    const token = 'USDT'
    const capital = async (of: string) => (await readOwnFunds(db, 'ethereum', [of])).get(of) ?? 0n
    await fund(token, 500_000_000n)
    for (const lacking of [token, 'NATIVE']) {
      const taken = await capital(lacking)
      assert.ok(taken > 0n)
      await fundCapital(lacking, -taken)
      const { withdrawal } = await submitFromWallet({
        ...{ accountId: account.id, amountCents: cents(2_500n), token },
      })
      const inKind = await submit({ token, amountCents: cents(2_500n) })
      while (await approve());
      while (await environment.send());
      assert.deepEqual(
        (await db.query<Queued>(QUEUED)).map(({ id, hold }) => [id, hold]),
        [[withdrawal.id, lacking === token ? 'capital_low' : 'gas_capital_low']],
      )
      assert.deepEqual(
        (await listLowWallets(db)).map((low) => [low.keyRef, low.token]),
        [['hot', lacking]],
        'what is missing is named',
      )
      assert.deepEqual(
        (await readQueuedUnits(db)).map((low) => [low.token, low.isLow, low.isGasLow]),
        [[token, lacking === token, lacking === 'NATIVE']],
      )
      const next = await submitFromWallet({
        ...{ accountId: account.id, amountCents: cents(100n), token },
      })
      assert.equal(next.isCovered, false, 'the next one waits, too')
      assert.equal((await finish(inKind.id)).status, 'confirmed', 'custody goes on meanwhile')
      assert.equal((await environment.read(withdrawal.id)).status, 'queued')
      await fundCapital(lacking, taken)
      environment.clock.advance(1_000)
      assert.equal((await finish(withdrawal.id)).status, 'confirmed')
      assert.equal((await finish(next.withdrawal.id)).status, 'confirmed')
    }
  })

  it('shares the capital with those before it that are not booked yet', async () => {
    const { db, fundCapital, submitFromWallet } = environment
    const account = await aMerchant(db)
    await credit(db, account, cents(10_000n))
    const token = 'USDT'
    const withdraw = async () =>
      (await submitFromWallet({ accountId: account.id, amountCents: cents(2_500n), token }))
        .withdrawal
    const first = await withdraw()
    const own = (await readOwnFunds(db, 'ethereum', [token])).get(token) ?? 0n
    // Enough for one and a half.
    await fundCapital(token, (first.units * 3n) / 2n - own)
    const { withdrawal: second, isCovered } = await submitFromWallet({
      ...{ accountId: account.id, amountCents: cents(2_500n), token },
    })
    assert.equal(isCovered, false)
    while (await environment.send());
    const held = [[second.id, 'capital_low']]
    const queued = async () => (await db.query<Queued>(QUEUED)).map(({ id, hold }) => [id, hold])
    assert.deepEqual(await queued(), held, 'of one batch')
    environment.clock.advance(1_000)
    while (await environment.send());
    assert.deepEqual(await queued(), held, 'while the first is under way')
    assert.equal((await environment.finish(first.id)).status, 'confirmed')
    environment.clock.advance(1_000)
    while (await environment.send());
    assert.deepEqual(await queued(), held, 'after the first')
    await fundCapital(token, first.units)
    environment.clock.advance(1_000)
    assert.equal((await environment.finish(second.id)).status, 'confirmed')
    assert.ok(own > first.units * 2n, 'there was enough before')
    await fundCapital(token, own)
  })

  it('counts as covered beside withdrawals from custody, which take nothing of our own funds', async () => {
    const { db, fund, fundCapital, submit, submitFromWallet, finish } = environment
    const account = await aMerchant(db)
    await credit(db, account, cents(10_000n))
    const token = 'USDT'
    await fund(token, 100_000_000n)
    const own = (await readOwnFunds(db, 'ethereum', [token])).get(token) ?? 0n
    const enough = 30_000_000n
    await fundCapital(token, enough - own)
    const inKind = await submit({ token, amountCents: cents(2_500n) })
    while (await environment.approve());
    const submitted = await submitFromWallet({
      ...{ accountId: account.id, amountCents: cents(2_500n), token },
    })
    assert.ok(submitted.withdrawal.units + inKind.units > enough)
    assert.equal(submitted.isCovered, true)
    for (const { id } of [inKind, submitted.withdrawal]) {
      assert.equal((await finish(id)).status, 'confirmed')
    }
    await fundCapital(token, own)
  })

  it('without the money is refused before anything is summed', async () => {
    const { db, submitFromWallet } = environment
    const account = await aMerchant(db)
    await db.transaction(async (tx) => {
      await tx.query(LOCK_SUMS, [])
      const withdrawing = submitFromWallet({ accountId: account.id, amountCents: cents(2_500n) })
      assert.equal(await refusal(withdrawing), 'INSUFFICIENT_BALANCE')
    })
  })

  it('delays nothing behind it while it waits for capital, however many do', async () => {
    const { db, fundCapital, submit, submitFromWallet } = environment
    const account = await aMerchant(db)
    await credit(db, account, cents(100_000n))
    const token = 'USDT'
    const own = (await readOwnFunds(db, 'ethereum', [token])).get(token) ?? 0n
    await fundCapital(token, -own)
    // More than are looked at in one go.
    const waiting = await Promise.all(
      Array.from({ length: 40 }, () =>
        submitFromWallet({ accountId: account.id, amountCents: cents(2_000n), token }),
      ),
    )
    const inKind = await submit()
    while (await environment.approve());
    while (await environment.send());
    assert.equal((await environment.read(inKind.id)).status, 'broadcast')
    assert.equal((await db.query<Queued>(QUEUED)).length, waiting.length)
    for (const { withdrawal } of waiting) {
      const at = environment.clock.now()
      assert.equal(
        await db.transaction((tx) => refuseWithdrawal(tx, withdrawal.id, at)),
        'refunded',
      )
    }
    await fundCapital(token, own)
    assert.equal((await environment.finish(inKind.id)).status, 'confirmed')
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
    const submit = (amountCents: bigint) =>
      environment.submitFromWallet({ accountId: account.id, amountCents: cents(amountCents) })
    const { details } = await submit(500n).catch((error) => error)
    assert.equal(details.reason, 'fees')
    const least = BigInt(details.minUsdCents)
    assert.equal(await refusal(submit(least - 1n)), 'CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE')
    assert.equal((await submit(least)).receiveCents, 1n)
    await setBaseFee(1n)
  })

  it('of a token without a price or a network fee is refused with that reason, not as a pause', async () => {
    const { networks } = environment
    const request = {
      ...{ chain: 'ethereum', token: 'USDC', destination: newDestination() },
      amountCents: cents(500n),
    } as const
    for (const unknown of [{ usdE8: null }, { feeCents: null }]) {
      const find: typeof networks.find = async (chain, token) => {
        const found = await networks.find(chain, token)
        return found && { ...found, ...unknown }
      }
      await assert.rejects(payable({ networks: { ...networks, find } }, request), {
        ...{ key: 'SERVICE_DISABLED', details: { reason: 'token_value' } },
      })
    }
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

const COUNT = sql('test_count', 'select count(*)::int count from payouts.withdrawal')

describe('a destination', () => {
  /** From custody and from a wallet, in each form in which an address is written. */
  async function refusals(address: string): Promise<unknown[]> {
    const account = await aMerchant(environment.db)
    await credit(environment.db, account, cents(10_000n))
    const forms = [
      getAddress(address),
      address.toLowerCase(),
      `0x${address.slice(2).toUpperCase()}`,
    ]
    const asked = forms.flatMap((destination) => [
      environment.submit({ destination }),
      environment.submitFromWallet({
        ...{ accountId: account.id, amountCents: cents(5_000n), destination },
      }),
    ])
    const keys = await Promise.all([...asked.map(refusal), ...asked.map(reasonOf)])
    assert.equal(await readBalance(environment.db, account.id), 10_000n)
    return [...new Set(keys)]
  }
  const count = async () => (await environment.db.query<{ count: number }>(COUNT))[0]?.count

  it('that is the zero address, a token contract or one of ours, of whichever owner, is refused', async () => {
    const { db, clock, merchantId } = environment
    const other = await aMerchant(db)
    const owners = {
      'the merchant': merchantId,
      'its child': (await aSubUser(db, merchantId)).id,
      'another merchant': other.id,
      'a child of another merchant': (await aSubUser(db, other.id)).id,
    }
    const refused: Record<string, string> = {
      'the zero address': `0x${'0'.repeat(40)}`,
      'the hot wallet': environment.hot,
      'the gas station': await environment.signer.address('gas'),
      'the treasury': TREASURY,
      'a token that is not taken': '0x6b175474e89094c44da98b954eedeac495271d0f',
    }
    for (const [chain, { tokens }] of Object.entries(NETWORKS)) {
      for (const { symbol, address } of tokens) refused[`${symbol} of ${chain}`] = address
    }
    const addressFor = createAddressFor({ deriver, clock })
    for (const [who, ownerId] of Object.entries(owners)) {
      for (const purpose of ['deposit', 'payout_custody'] as const) {
        const address = await db.transaction((tx) => addressFor(tx, { ownerId, purpose }))
        refused[`the ${purpose} address of ${who}`] = address
      }
    }
    assert.equal(Object.keys(refused).length, 23)
    const before = await count()
    for (const [what, address] of Object.entries(refused)) {
      const reason = /token|USD/.test(what) ? 'token_contract' : 'own_address'
      assert.deepEqual(
        await refusals(address),
        [
          'CRYPTO_PAYOUT_DESTINATION_INVALID',
          what === 'the zero address' ? 'zero_address' : reason,
        ],
        what,
      )
    }
    assert.equal(await count(), before)
  })

  it('of another checksum than its own is refused, and is no other address', async () => {
    const known = getAddress(newDestination())
    const letter = [...known].findIndex((sign, i) => i > 1 && /[a-f]/i.test(sign))
    const sign = known.charAt(letter)
    const turned = sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase()
    const wrong = `${known.slice(0, letter)}${turned}${known.slice(letter + 1)}`
    const account = await aMerchant(environment.db)
    await credit(environment.db, account, cents(10_000n))
    const asked = [
      environment.submit({ destination: wrong }),
      environment.submitFromWallet({
        ...{ accountId: account.id, amountCents: cents(5_000n), destination: wrong },
      }),
    ]
    const key = 'CRYPTO_PAYOUT_DESTINATION_INVALID'
    assert.deepEqual(await Promise.all(asked.map(refusal)), [key, key])
    assert.deepEqual(await Promise.all(asked.map(reasonOf)), ['checksum', 'checksum'])
    assert.equal(await reasonOf(environment.submit({ destination: '0x1' })), 'malformed')
  })
})

describe('a token that is paused', () => {
  const DAY_MS = 24 * 3_600_000
  const nextNonce = async () => (await listWallets(environment.db))[0]?.nextNonce
  /** 50 dollars in USDC from a wallet of 100. */
  async function withdrawn() {
    const account = await aMerchant(environment.db)
    await credit(environment.db, account, cents(10_000n))
    const destination = newDestination()
    const { withdrawal } = await environment.submitFromWallet({
      ...{ accountId: account.id, amountCents: cents(5_000n), destination },
    })
    const balance = () => readBalance(environment.db, account.id)
    return { id: withdrawal.id, destination, balance }
  }
  const pause = (isPaused: boolean) => environment.chain.setPaused('USDC', isPaused)

  it('is not signed for: withdrawals wait without a transaction, and are paid when it moves again', async () => {
    const nonce = await nextNonce()
    await pause(true)
    const { id, destination, balance } = await withdrawn()
    const custody = await environment.submit()
    await environment.approve()
    for (let look = 0; look < 3; look += 1) {
      while (await environment.send());
      const both = [await environment.read(id), await environment.read(custody.id)]
      assert.ok(both.every(({ status }) => status === 'queued'))
      environment.clock.advance(1_001)
    }
    assert.deepEqual(await environment.events(custody.id), [])
    assert.deepEqual([await balance(), await nextNonce()], [5_000n, nonce])
    await pause(false)
    const ends = [await environment.finish(id), await environment.finish(custody.id)]
    assert.ok(ends.every(({ status }) => status === 'confirmed'))
    assert.ok((await held(destination, await contract('USDC'))) > 0n)
  })

  it('after its payment was sent leaves it to the chain: no time refunds it, and its failure does, once', async () => {
    const { id, destination, balance } = await withdrawn()
    while (await environment.send());
    assert.equal((await environment.read(id)).status, 'broadcast')
    await pause(true)
    environment.clock.advance(DAY_MS)
    await environment.track()
    assert.equal((await environment.read(id)).status, 'broadcast')
    await environment.chain.mine(1)
    await environment.track()
    environment.clock.advance(DAY_MS)
    await environment.track()
    assert.equal((await environment.read(id)).status, 'broadcast')
    assert.equal(await balance(), 5_000n)
    const end = await environment.finish(id)
    assert.deepEqual([end.status, end.failureReason], ['refunded', 'onchain_revert'])
    await environment.chain.mine(3)
    await environment.track()
    assert.equal(await balance(), 10_000n)
    await pause(false)
    assert.equal(await held(destination, await contract('USDC')), 0n)
  })
})
