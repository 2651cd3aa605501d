// Withdrawals that are asked for together, and quotes: on a database, without a node.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { auditCustody, readBalance } from '#custody'
import { changeKey, issueKey, readSpent } from '#identity'
import { sql, type Tx } from '#infra/database/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { testDatabase } from '../../../infra/testing/database.ts'
import { until } from '../../../infra/testing/until.ts'
import { WAITING } from '../../../infra/testing/waiting.ts'
import { aMerchant, aSubUser } from '../../accounts/identity/testing/accounts.ts'
import { type BatchLine, type BatchRequest, judgeLines, submitBatch } from './batch.ts'
import { quotePayout } from './quote.ts'
import { refund } from './settle.ts'
import { claimApprovals, tryLater } from './store/approvals.ts'
import { listBatchWithdrawals, readBatch } from './store/batches.ts'
import { addDestination, markProven, setOnlyKnownDestinations } from './store/merchants.ts'
import { lockWithdrawal, readWithdrawals } from './store/withdrawals.ts'
import { createSubmitting } from './submit.ts'
import { givenCustody, NETWORKS, PAYMENT, submittingDeps } from './testing/withdrawals.ts'

const { db, close } = await testDatabase({ poolSize: 8 })
after(async () => {
  assert.deepEqual(await auditCustody(db), [])
  await close()
})

const AT = new Date('2026-11-21T12:00:00Z')
/** What one withdrawal of the builders takes: 12.34 and 0.10 dollars at 3,000 for one, each rounded. */
const ONE = 4_113_333_333_333_333n + 33_333_333_333_334n

const line = (externalId: string, change: Partial<BatchLine> = {}): BatchLine => ({
  ...{ externalId, ...PAYMENT, forUser: null },
  ...change,
})
const linesOf = (count: number, prefix = 'w'): BatchLine[] =>
  Array.from({ length: count }, (_, i) => line(`${prefix}-${i}`))

/** A merchant whose custody covers so many withdrawals of the builders. */
async function given(count: number) {
  const { id: merchantId } = await aMerchant(db)
  if (count > 0) await givenCustody(db, merchantId, { units: BigInt(count) * ONE, at: AT })
  const submit = (request: Partial<BatchRequest>, deps = submittingDeps(db, AT)) =>
    submitBatch(deps, { merchantId, externalId: 'b', lines: [], keyId: null, ...request })
  const submitOne = (externalId: string) =>
    createSubmitting(submittingDeps(db, AT))({
      ...{ merchantId, externalId, forUser: null, keyId: null },
      ...PAYMENT,
    })
  const left = () => readBalance(db, { role: 'merchant', ownerId: merchantId }, PAYMENT)
  return { merchantId, submit, submitOne, left }
}

/** A key of the merchant that may spend so many US cents a day. */
async function limitedKey(accountId: string, amountCents: bigint) {
  const { id } = await db.transaction((tx) =>
    issueKey(tx, { accountId, kind: 'merchant', name: 'k', environment: 'test', at: AT }),
  )
  const setLimit = (tx: Tx, amount: bigint) =>
    changeKey(tx, id, { spendLimit: { amountCents: cents(amount), window: 'day' } }, AT)
  await db.transaction((tx) => setLimit(tx, amountCents))
  return { keyId: id, setLimit }
}

const COUNTS = sql(
  'test.counts',
  `select (select count(*)::int from payouts.batch where owner_id = $1) batches,
     (select count(*)::int from payouts.withdrawal where owner_id = $1) withdrawals`,
)
const countsOf = async (merchantId: string) => (await db.query(COUNTS, [merchantId]))[0]

const refusalOf = (promise: Promise<unknown>): Promise<[string, unknown]> =>
  promise.then(
    () => assert.fail('it was accepted'),
    (error: unknown) => {
      if (error instanceof Refusal) return [error.key, error.details?.index]
      throw error
    },
  )

describe('a batch', () => {
  it('is accepted whole, and each withdrawal of it is one like any other', async () => {
    const { merchantId, submit, submitOne, left } = await given(3)
    const user = await aSubUser(db, merchantId, { externalId: 'ann' })
    const lines = [line('w-0'), line('w-1', { forUser: 'ann' }), line('w-2')]
    const batch = await submit({ lines })
    assert.deepEqual([batch.total, batch.byStatus], [3, { pending_callback: 3 }])
    assert.equal(await left(), 0n)
    const withdrawals = await listBatchWithdrawals(db, batch.id)
    assert.deepEqual(
      withdrawals.map(({ externalId, forUserId, status }) => [externalId, forUserId, status]),
      [
        ['w-0', null, 'pending_callback'],
        ['w-1', user.id, 'pending_callback'],
        ['w-2', null, 'pending_callback'],
      ],
    )
    assert.deepEqual(await submitOne('w-0'), withdrawals[0], 'a replay of one of them')
  })

  it('says how many are in each status now; its replay says what the first request was answered', async () => {
    const { submit } = await given(3)
    const lines = linesOf(3)
    const first = await submit({ lines })
    const [one] = await listBatchWithdrawals(db, first.id)
    await db.transaction(async (tx) => {
      const withdrawal = await lockWithdrawal(tx, one?.id ?? '')
      assert.ok(withdrawal)
      await refund(tx, withdrawal, { reason: 'operator_refused', at: AT, hash: null })
    })
    const now = await readBatch(db, first.id)
    assert.deepEqual(now?.byStatus, { pending_callback: 2, refunded: 1 })
    assert.deepEqual(await submit({ lines }), first)
    assert.deepEqual(await submit({ lines, keyId: newId() }), first)
    const others = [linesOf(2), lines.toReversed(), [...lines.slice(0, 2), line('w-9')]]
    for (const other of others) {
      assert.deepEqual(await refusalOf(submit({ lines: other })), [
        'IDEMPOTENCY_CONFLICT',
        undefined,
      ])
    }
  })

  const cases: [what: string, change: Partial<BatchLine>, key: string][] = [
    ['of another chain', { chain: 'tron' }, 'CRYPTO_PAYOUT_CHAIN_UNSUPPORTED'],
    ['below the least amount', { amountCents: cents(99n) }, 'CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE'],
    ['above the most', { amountCents: cents(10_000_001n) }, 'CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE'],
    ['to no address', { destination: '0x12' }, 'CRYPTO_PAYOUT_DESTINATION_INVALID'],
    [
      'to the zero address',
      { destination: `0x${'0'.repeat(40)}` },
      'CRYPTO_PAYOUT_DESTINATION_INVALID',
    ],
    ['for an unknown sub-user', { forUser: 'unknown' }, 'USER_NOT_FOUND'],
    ['under an external id that was used', { externalId: 'used' }, 'IDEMPOTENCY_CONFLICT'],
    ['beyond custody', { amountCents: cents(5_000n) }, 'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE'],
  ]
  for (const [what, change, key] of cases) {
    it(`with a withdrawal ${what} is refused whole with its index, and its external id stays free`, async () => {
      const { merchantId, submit, submitOne, left } = await given(4)
      await submitOne('used')
      const before = await countsOf(merchantId)
      const lines = linesOf(3)
      const networks = {
        ...NETWORKS,
        find: async (...[chain, token]: Parameters<typeof NETWORKS.find>) =>
          chain === 'base' ? NETWORKS.find(chain, token) : null,
      }
      const deps = submittingDeps(db, AT, { networks })
      const bad = lines.with(1, line('w-1', change))
      assert.deepEqual(await refusalOf(submit({ lines: bad }, deps)), [key, 1])
      assert.deepEqual(await countsOf(merchantId), before)
      assert.equal(await left(), 3n * ONE)
      assert.equal((await submit({ lines }, deps)).total, 3)
    })
  }

  it('is refused for its first refused withdrawal, of whichever kind, and a preview all of them', async () => {
    const { merchantId, submit } = await given(2)
    const bad = line('bad', { destination: '0x12' })
    const early = [line('w-0'), bad, line('w-1'), line('w-2')]
    const late = [line('w-0'), line('w-1'), line('w-2'), bad]
    assert.deepEqual(await refusalOf(submit({ lines: early })), [
      'CRYPTO_PAYOUT_DESTINATION_INVALID',
      1,
    ])
    assert.deepEqual(await refusalOf(submit({ lines: late })), [
      'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE',
      2,
    ])
    const deps = submittingDeps(db, AT)
    const judged = await judgeLines(deps, { merchantId, keyId: null, lines: early })
    assert.deepEqual(
      judged.map((one) => (one instanceof Refusal ? one.key : null)),
      [null, 'CRYPTO_PAYOUT_DESTINATION_INVALID', null, 'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE'],
    )
  })

  it('fits to the last base unit with its fees, and one unit less refuses its last withdrawal', async () => {
    const { merchantId, submit, left } = await given(0)
    await givenCustody(db, merchantId, { units: 3n * ONE - 1n, at: AT })
    const short = ['CRYPTO_PAYOUT_INSUFFICIENT_BALANCE', 2]
    assert.deepEqual(await refusalOf(submit({ lines: linesOf(3) })), short)
    await givenCustody(db, merchantId, { units: 1n, at: AT })
    await submit({ lines: linesOf(3) })
    assert.equal(await left(), 0n)
  })

  it('pays to listed destinations alone where its merchant keeps a list', async () => {
    const { merchantId, submit } = await given(2)
    const day = 86_400_000
    await db.transaction(async (tx) => {
      await setOnlyKnownDestinations(tx, merchantId, { on: true, at: AT })
      await addDestination(tx, merchantId, { address: PAYMENT.destination, at: AT })
    })
    const lines = linesOf(2)
    const early = await refusalOf(submit({ lines }))
    assert.deepEqual(early, ['CRYPTO_PAYOUT_DESTINATION_INVALID', 0])
    const later = submittingDeps(db, new Date(AT.getTime() + day))
    assert.equal((await submit({ lines }, later)).total, 2)
  })

  it('without a callback, or while no worker lives, is refused before its withdrawals are; a replay is answered', async () => {
    const { submit } = await given(1)
    const lines = [line('bad', { destination: '0x12' })]
    const without = submittingDeps(db, AT, { isCallbackSet: false })
    const noCallback = ['CRYPTO_PAYOUT_NO_CALLBACK_URL', undefined]
    assert.deepEqual(await refusalOf(submit({ lines }, without)), noCallback)
    const silent = submittingDeps(db, AT, { areWorkersSilent: true, isCallbackSet: false })
    assert.deepEqual(await refusalOf(submit({ lines }, silent)), ['SERVICE_DISABLED', undefined])
    const first = await submit({ lines: linesOf(1) })
    assert.deepEqual(await submit({ lines: linesOf(1) }, silent), first)
  })

  it('over the spend limit of its key is refused whole, and counts its amounts without fees', async () => {
    const { merchantId, submit, left } = await given(5)
    const { keyId } = await limitedKey(merchantId, 4n * 1_234n)
    const over = await refusalOf(submit({ lines: linesOf(5), keyId }))
    assert.deepEqual(over, ['SPENDING_LIMIT_REACHED', undefined])
    assert.deepEqual(await countsOf(merchantId), { batches: 0, withdrawals: 0 })
    assert.equal(await left(), 5n * ONE)
    await submit({ lines: linesOf(4), keyId })
    assert.equal((await readSpent(db, [keyId], AT)).get(keyId), 4n * 1_234n)
  })
})

it('a batch and its withdrawals stay as they were written, and a withdrawal is in one batch', async () => {
  const { submit } = await given(2)
  const [first, second] = [
    await submit({ externalId: 'a', lines: linesOf(1, 'a') }),
    await submit({ externalId: 'b', lines: linesOf(1, 'b') }),
  ]
  const [one] = await listBatchWithdrawals(db, first.id)
  const attacks = [
    `update payouts.batch set total = 2 where id = '${first.id}'`,
    `delete from payouts.batch_withdrawal where batch_id = '${first.id}'`,
    `insert into payouts.batch_withdrawal values ('${second.id}', 1, '${one?.id}')`,
  ]
  for (const attack of attacks) {
    await assert.rejects(db.script(attack), /forbidden|append-only|batch_withdrawal_once/, attack)
  }
})

describe('batches at once', () => {
  it('that are the same are one, and get one answer', async () => {
    const { merchantId, submit, left } = await given(20)
    const lines = linesOf(5)
    const all = await Promise.all(Array.from({ length: 8 }, () => submit({ lines })))
    for (const one of all) assert.deepEqual(one, all[0])
    assert.deepEqual(await countsOf(merchantId), { batches: 1, withdrawals: 5 })
    assert.equal(await left(), 15n * ONE)
  })

  it('that share an external id: one is accepted whole, the other refused whole with its index', async () => {
    const { merchantId, submit, left } = await given(20)
    const shared = line('shared')
    const first = [line('a-0'), shared, line('a-1')]
    const second = [line('b-0'), line('b-1'), shared]
    const answers = await Promise.allSettled([
      submit({ externalId: 'a', lines: first }),
      submit({ externalId: 'b', lines: second }),
    ])
    const [refused] = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    assert.ok(refused instanceof Refusal)
    const index = answers[0].status === 'rejected' ? 1 : 2
    assert.deepEqual([refused.key, refused.details?.index], ['IDEMPOTENCY_CONFLICT', index])
    assert.deepEqual(await countsOf(merchantId), { batches: 1, withdrawals: 3 })
    assert.equal(await left(), 17n * ONE)
  })

  it('and single withdrawals take exactly what custody covers: a batch all of it or nothing', async () => {
    const { merchantId, submit, submitOne, left } = await given(20)
    const attempts = [
      ...[0, 1, 2].map((i) => submit({ externalId: `b-${i}`, lines: linesOf(6, `b${i}`) })),
      ...Array.from({ length: 12 }, (_, i) => submitOne(`s-${i}`)),
    ]
    const answers = await Promise.allSettled(attempts)
    const isTaken = answers.map(({ status }) => status === 'fulfilled')
    const batches = isTaken.slice(0, 3).filter(Boolean).length
    const singles = isTaken.slice(3).filter(Boolean).length
    for (const one of answers) {
      if (one.status === 'fulfilled') continue
      assert.equal(one.reason.key, 'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE')
    }
    const taken = 6 * batches + singles
    assert.deepEqual(await countsOf(merchantId), { batches, withdrawals: taken })
    assert.equal(await left(), BigInt(20 - taken) * ONE)
    assert.ok(taken <= 20 && (singles === 12 || taken === 20), `${batches} and ${singles}`)
  })

  it('of 500 keep no other merchant waiting, not even while one waits for its own key’s limit', async () => {
    const { merchantId, submit } = await given(500)
    const other = await given(1)
    const { keyId, setLimit } = await limitedKey(merchantId, 1n)
    const { waiting } = await db.transaction(async (tx) => {
      await setLimit(tx, 10n ** 9n)
      const begun = submit({ lines: linesOf(500), keyId })
      await until('it waits', async () => (await db.query(WAITING)).length > 0)
      await other.submitOne('free')
      return { waiting: begun }
    })
    assert.equal((await waiting).total, 500)
  })

  it('of which a connection dies before its commit keep nothing, and go through when they are sent again', async () => {
    const { merchantId, submit, left } = await given(2)
    const { keyId, setLimit } = await limitedKey(merchantId, 10n ** 6n)
    const ended = await db.transaction(async (tx) => {
      await setLimit(tx, 10n ** 6n)
      // By now the batch has written everything but what counts under the limit.
      const begun = submit({ lines: linesOf(2), keyId }).catch((error: unknown) => ({ error }))
      await until('it waits', async () => (await db.query(WAITING)).length > 0)
      await db.query(KILL_WAITING)
      return begun
    })
    assert.ok('error' in ended && !(ended.error instanceof Refusal))
    assert.deepEqual(await countsOf(merchantId), { batches: 0, withdrawals: 0 })
    assert.equal(await left(), 2n * ONE)
    assert.equal((await submit({ lines: linesOf(2), keyId })).total, 2)
  })
})

describe('the approvals of a batch', () => {
  const capacity = {
    ...{
      limit: 1000,
      perKey: 10,
      perUnhealthyKey: 4,
      slow: 64,
      unproven: 64,
      broadcasts: 64,
      perOwner: 10,
    },
    ...{ heldByOwner: {}, slowKeys: [], busyKeys: [] },
  }
  const claim = async (merchantId: string, at: Date) => {
    const leaseUntil = new Date(at.getTime() + 20_000)
    const claimed = await claimApprovals(db, { at, leaseUntil, capacity })
    return claimed.filter(({ ownerId }) => ownerId === merchantId)
  }

  it('are under way five at once, over all processes; those that ended or were cut off make way', async () => {
    const { merchantId, submit } = await given(12)
    await submit({ lines: linesOf(12) })
    await db.transaction((tx) => markProven(tx, [merchantId], AT))
    const claimed = await Promise.all(Array.from({ length: 6 }, () => claim(merchantId, AT)))
    const [first, ...rest] = claimed.flat()
    assert.ok(first)
    assert.equal(rest.length, 4)
    const later = new Date(AT.getTime() + 1_000)
    await db.transaction((tx) =>
      tryLater(tx, first.id, { dueAt: new Date(later.getTime() + 15_000), failures: 1 }),
    )
    assert.equal((await claim(merchantId, later)).length, 1)
    assert.equal((await claim(merchantId, later)).length, 0)
    // The lease of a process that died.
    const cutOff = new Date(AT.getTime() + 20_000)
    const again = await claim(merchantId, cutOff)
    assert.equal(again.length, 5)
    assert.equal(new Set(again.map(({ id }) => id)).size, 5)
  })
})

const KILL_WAITING = sql(
  'test.kill_waiting',
  `select pg_terminate_backend(pid) from pg_stat_activity
   where datname = current_database() and wait_event_type = 'Lock'`,
)

describe('a quote', () => {
  const asked = { chain: 'base', token: 'ETH', amountCents: cents(1_234n) } as const
  const priced = (usdE8: bigint, feeCents: bigint) =>
    submittingDeps(db, AT, {
      networks: {
        ...NETWORKS,
        find: async () => ({
          ...{ address: null, decimals: 18, usdE8, feeCents, hotUnits: 0n },
        }),
      },
    })

  it('is what a withdrawal gets while it is valid, alone or in a batch, whatever the price is then', async () => {
    const { merchantId, submit } = await given(9)
    const quote = await quotePayout(priced(300_000_000_000n, 10n), { merchantId, ...asked })
    assert.equal(quote.validForSeconds, 60)
    const dearer = priced(200_000_000_000n, 25n)
    const same = { ...dearer.clock, now: () => new Date(AT.getTime() + 59_999) }
    const deps = { ...dearer, clock: same }
    const alone = await createSubmitting(deps)({
      ...{ merchantId, externalId: 'alone', forUser: null, keyId: null },
      ...PAYMENT,
    })
    const figures = ({ units, feeUnits, feeCents }: typeof alone) => [units, feeUnits, feeCents]
    const quoted = [quote.units, quote.feeUnits, 10n]
    assert.deepEqual(figures(alone), quoted)
    const batch = await submit({ lines: linesOf(2) }, deps)
    for (const one of await listBatchWithdrawals(db, batch.id))
      assert.deepEqual(figures(one), quoted)
    // Another amount has no quote.
    const other = await submit(
      { externalId: 'other', lines: [line('o', { amountCents: cents(1_000n) })] },
      deps,
    )
    const [at2000] = await listBatchWithdrawals(db, other.id)
    assert.deepEqual([at2000?.units, at2000?.feeCents], [5_000_000_000_000_000n, 25n])
  })

  it('is the same one until it ends, for its merchant alone, and then another one', async () => {
    const [{ merchantId }, otherTenant] = [await given(0), await given(0)]
    const first = await quotePayout(priced(300_000_000_000n, 10n), { merchantId, ...asked })
    const now = priced(200_000_000_000n, 25n)
    const after30 = { ...now, clock: { now: () => new Date(AT.getTime() + 30_500) } }
    const again = await quotePayout(after30, { merchantId, ...asked })
    assert.deepEqual([again.units, again.feeUnits], [first.units, first.feeUnits])
    assert.equal(again.validForSeconds, 29)
    const theirs = await quotePayout(now, { merchantId: otherTenant.merchantId, ...asked })
    assert.equal(theirs.token.feeCents, 25n)
    const later = { ...now, clock: { now: () => new Date(AT.getTime() + 60_000) } }
    const next = await quotePayout(later, { merchantId, ...asked })
    assert.deepEqual([next.token.feeCents, next.validForSeconds], [25n, 60])
  })

  it('says the fee in base units of the same token, and needs neither custody nor a callback', async () => {
    const { merchantId } = await given(0)
    const quote = await quotePayout(submittingDeps(db, AT, { isCallbackSet: false }), {
      merchantId,
      ...asked,
    })
    assert.equal(quote.units + quote.feeUnits, ONE)
    const least = { merchantId, ...asked, amountCents: cents(99n) }
    const refused = await refusalOf(quotePayout(submittingDeps(db, AT), least))
    assert.equal(refused[0], 'CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE')
    assert.deepEqual(await readWithdrawals(db, []), [])
  })
})
