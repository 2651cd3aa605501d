import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Db, sql, type Tx } from '#infra/database/db'
import { type Currency, cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { until } from '../../../infra/testing/until.ts'
import { WAITING } from '../../../infra/testing/waiting.ts'
import { readBalance } from './balances.ts'
import { type Funding, findFunding, fund, type Transferred, transferEarnings } from './fund.ts'
import { lockWallets, readExchange } from './store.ts'
import { AT, credit, ownerWith } from './testing/wallets.ts'

let test: TestDatabase
let db: Db
before(async () => {
  test = await testDatabase({ poolSize: 20 })
  db = test.db
})
after(() => test.close())

interface Owner {
  readonly id: string
  readonly currency: Currency
}

const move = (
  merchant: Owner,
  subUser: Owner,
  amount: bigint,
  options: { key?: string; direction?: Funding['direction']; subUserAmount?: bigint } = {},
): Promise<Transferred> =>
  db.transaction((tx) =>
    fund(tx, {
      direction: options.direction ?? 'fund',
      merchant,
      subUser,
      amount: cents(amount),
      subUserAmount: cents(options.subUserAmount ?? amount),
      idempotencyKey: options.key ?? 'key',
      at: AT,
    }),
  )

const refusal = (key: string, details?: object) => (error: unknown) => {
  assert.ok(error instanceof Refusal, String(error))
  assert.equal(error.key, key)
  if (details) assert.deepEqual(error.details, details)
  return true
}

describe('funding', () => {
  it('moves the amount and nothing else', async () => {
    const [merchant, subUser, other] = await Promise.all([
      ownerWith(db, 1000n),
      ownerWith(db, 0n),
      ownerWith(db, 77n),
    ])
    const { replayed } = await move(merchant, subUser, 300n)
    assert.equal(replayed, false)
    assert.equal(await readBalance(db, merchant.id), 700n)
    assert.equal(await readBalance(db, subUser.id), 300n)
    assert.equal(await readBalance(db, other.id), 77n)
  })

  it('a replay answers the first transaction and moves nothing', async () => {
    const [merchant, subUser] = [await ownerWith(db, 1000n), await ownerWith(db, 0n)]
    const first = await move(merchant, subUser, 300n)
    const second = await move(merchant, subUser, 300n)
    assert.deepEqual(second, { transactionId: first.transactionId, replayed: true })
    assert.equal(await readBalance(db, merchant.id), 700n)
  })

  it('a replay is answered when the wallet is empty by now', async () => {
    const [merchant, subUser] = [await ownerWith(db, 300n), await ownerWith(db, 0n)]
    const first = await move(merchant, subUser, 300n)
    const second = await move(merchant, subUser, 300n)
    assert.equal(second.transactionId, first.transactionId)
  })

  it('another amount under the key is a conflict', async () => {
    const [merchant, subUser] = [await ownerWith(db, 1000n), await ownerWith(db, 0n)]
    await move(merchant, subUser, 300n)
    await assert.rejects(move(merchant, subUser, 301n), refusal('IDEMPOTENCY_CONFLICT'))
  })

  it('another sub-user under the key is a conflict', async () => {
    const [merchant, one, two] = [
      await ownerWith(db, 1000n),
      await ownerWith(db, 0n),
      await ownerWith(db, 0n),
    ]
    await move(merchant, one, 300n)
    await assert.rejects(move(merchant, two, 300n), refusal('IDEMPOTENCY_CONFLICT'))
    assert.equal(await readBalance(db, two.id), 0n)
  })

  it('a key is scoped to the merchant and to the operation', async () => {
    const [one, two, subUser] = [
      await ownerWith(db, 1000n),
      await ownerWith(db, 1000n),
      await ownerWith(db, 0n),
    ]
    const answers = [
      await move(one, subUser, 300n),
      await move(two, subUser, 300n),
      await move(one, subUser, 300n, { direction: 'defund' }),
    ]
    assert.deepEqual(
      answers.map((answer) => answer.replayed),
      [false, false, false],
    )
    assert.equal(await readBalance(db, subUser.id), 300n)
  })

  it('of 32 requests with one key at once one moves money and all get its answer', async () => {
    const [merchant, subUser] = [await ownerWith(db, 1000n), await ownerWith(db, 0n)]
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => move(merchant, subUser, 600n)),
    )
    assert.equal(new Set(answers.map((answer) => answer.transactionId)).size, 1)
    assert.equal(answers.filter((answer) => !answer.replayed).length, 1)
    assert.equal(await readBalance(db, merchant.id), 400n)
    assert.equal(await readBalance(db, subUser.id), 600n)
  })

  it('of 40 fundings at once exactly those go through that the balance covers', async () => {
    const [merchant, subUser] = [await ownerWith(db, 1000n), await ownerWith(db, 0n)]
    const answers = await Promise.allSettled(
      Array.from({ length: 40 }, (_, i) => move(merchant, subUser, 300n, { key: `k${i}` })),
    )
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 3)
    for (const answer of answers) {
      if (answer.status === 'rejected') refusal('INSUFFICIENT_BALANCE')(answer.reason)
    }
    assert.equal(await readBalance(db, merchant.id), 100n)
  })

  it('more than the merchant has is refused with what it has, and the key stays free', async () => {
    const [merchant, subUser] = [await ownerWith(db, 1000n), await ownerWith(db, 0n)]
    await assert.rejects(
      move(merchant, subUser, 1001n),
      refusal('INSUFFICIENT_BALANCE', { requiredCents: 1001n, availableCents: 1000n }),
    )
    assert.equal((await move(merchant, subUser, 1000n)).replayed, false)
  })

  it('opposite transfers at once do not deadlock', async () => {
    const [merchant, subUser] = [await ownerWith(db, 100_000n), await ownerWith(db, 100_000n)]
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        move(merchant, subUser, 100n, { key: `k${i}`, direction: i % 2 ? 'fund' : 'defund' }),
      ),
    )
    assert.equal(await readBalance(db, merchant.id), 100_000n)
  })

  it('the answer of an earlier call can be found without a rate', async () => {
    const [merchant, subUser] = [await ownerWith(db, 1000n), await ownerWith(db, 0n)]
    const question = {
      direction: 'fund',
      merchant,
      subUser,
      amount: cents(300n),
      idempotencyKey: 'key',
    } as const
    assert.equal(await findFunding(db, question), null)
    const first = await move(merchant, subUser, 300n)
    assert.deepEqual(await findFunding(db, question), { ...first, replayed: true })
    await assert.rejects(
      findFunding(db, { ...question, amount: cents(301n) }),
      refusal('IDEMPOTENCY_CONFLICT'),
    )
  })
})

describe('defunding', () => {
  it('takes from the sub-user and gives to the merchant', async () => {
    const [merchant, subUser] = [await ownerWith(db, 0n), await ownerWith(db, 500n)]
    await move(merchant, subUser, 200n, { direction: 'defund' })
    assert.equal(await readBalance(db, merchant.id), 200n)
    assert.equal(await readBalance(db, subUser.id), 300n)
  })

  it('more than the sub-user has is refused with what it has', async () => {
    const [merchant, subUser] = [await ownerWith(db, 1000n), await ownerWith(db, 500n)]
    await assert.rejects(
      move(merchant, subUser, 501n, { direction: 'defund' }),
      refusal('INSUFFICIENT_BALANCE', { requiredCents: 501n, availableCents: 500n }),
    )
  })
})

describe('between two currencies', () => {
  it('each side has its own amount, and the exchange accounts take the difference', async () => {
    const merchant = await ownerWith(db, 1000n)
    const subUser = await ownerWith(db, 0n, { currency: 'EUR' })
    const first = await move(merchant, subUser, 300n, { subUserAmount: 259n })
    assert.equal(await readBalance(db, merchant.id), 700n)
    assert.equal(await readBalance(db, subUser.id), 259n)
    // At another rate the replay still answers the first.
    const second = await move(merchant, subUser, 300n, { subUserAmount: 240n })
    assert.deepEqual(second, { transactionId: first.transactionId, replayed: true })
    assert.equal(await readBalance(db, subUser.id), 259n)
  })

  it('a defund refused for want of money names the sub-user’s currency amounts', async () => {
    const merchant = await ownerWith(db, 1000n)
    const subUser = await ownerWith(db, 100n, { currency: 'EUR' })
    await assert.rejects(
      move(merchant, subUser, 300n, { direction: 'defund', subUserAmount: 260n }),
      refusal('INSUFFICIENT_BALANCE', { requiredCents: 260n, availableCents: 100n }),
    )
  })
})

describe('accounts that all tenants share', () => {
  const EURO = { currency: 'EUR' } as const
  const LOCK = sql('test.lock_accounts', 'select ledger.lock_accounts($1)')
  const WORKS = 45
  const ACCOUNTS = sql(
    'test.accounts',
    `select array_agg(id) ids from ledger.account where owner_id = any ($1) or kind = 'exchange'`,
  )

  it('are waited for by no tenant that waits for another’s wallet', async () => {
    const [held, one, other] = [
      await ownerWith(db, 1000n),
      await ownerWith(db, 1000n),
      await ownerWith(db, 0n, EURO),
    ]
    const waiting = await ownerWith(db, 0n, EURO)
    const released = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = db.transaction(async (tx) => {
      await lockWallets(tx, [held.id])
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const delayed = move(held, waiting, 300n)
    try {
      await until('the funding waits', async () => (await db.query(WAITING)).length > 0)
      await move(one, other, 300n)
    } finally {
      released.resolve()
    }
    await Promise.all([holding, delayed])
    assert.equal(await readBalance(db, waiting.id), 300n)
  })

  it('are locked last by fundings, settlements of several journals and single postings at once: none deadlocks', async () => {
    const dollars = await Promise.all(Array.from({ length: 3 }, () => ownerWith(db, 50_000n)))
    const euros = await Promise.all(Array.from({ length: 3 }, () => ownerWith(db, 50_000n, EURO)))
    const before = await readExchange(db)
    const of = <T>(list: readonly T[], i: number): T => list[i % list.length] ?? assert.fail()
    let runs = 0
    const begun = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      db.transaction((tx) => {
        runs++
        return work(tx)
      })
    const convert = (i: number): Promise<unknown> => {
      const sides = [of(dollars, i), of(euros, i >> 1)] as const
      const [merchant, subUser] = i % 2 === 0 ? sides : sides.toReversed()
      return begun((tx) =>
        fund(tx, {
          ...{ merchant: merchant ?? assert.fail(), subUser: subUser ?? assert.fail() },
          ...{ amount: cents(7n), subUserAmount: cents(5n), at: AT },
          ...{ direction: i % 4 < 2 ? 'fund' : 'defund', idempotencyKey: `convert ${i}` },
        }),
      )
    }
    /** Several journals between one owner and others, under locks that are taken first. */
    const settle = (i: number): Promise<unknown> =>
      begun(async (tx) => {
        const [payer, ...earners] = [of(dollars, i), of(euros, i), of(euros, i + 1)]
        const [row] = await tx.query<{ ids: bigint[] }>(ACCOUNTS, [
          [payer, ...earners].map(({ id }) => id),
        ])
        await tx.query(LOCK, [row?.ids])
        for (const [nth, subUser] of earners.entries()) {
          await fund(tx, {
            ...{ merchant: payer, subUser, amount: cents(7n), subUserAmount: cents(5n), at: AT },
            ...{ direction: 'fund', idempotencyKey: `settle ${i} ${nth}` },
          })
        }
      })
    const pay = (i: number): Promise<unknown> =>
      begun((tx) =>
        fund(tx, {
          ...{ merchant: of(dollars, i), subUser: of(dollars, i + 1), at: AT },
          ...{ amount: cents(3n), subUserAmount: cents(3n) },
          ...{ direction: i % 2 === 0 ? 'fund' : 'defund', idempotencyKey: `pay ${i}` },
        }),
      )
    let next = 0
    const lane = async (): Promise<void> => {
      for (let i = next++; i < WORKS; i = next++) await of([convert, settle, pay], i)(i)
    }
    await Promise.all(Array.from({ length: 5 }, lane))
    // A transaction that deadlocked would have run again.
    assert.equal(runs, WORKS)
    const balances = await Promise.all([...dollars, ...euros].map(({ id }) => readBalance(db, id)))
    const sum = (list: readonly bigint[]): bigint => list.reduce((a, b) => a + b, 0n)
    const after = await readExchange(db)
    const moved = (currency: Currency): bigint =>
      (after.get(currency) ?? 0n) - (before.get(currency) ?? 0n)
    assert.equal(sum(balances.slice(0, 3)) + moved('USD'), 150_000n)
    assert.equal(sum(balances.slice(3)) + moved('EUR'), 150_000n)
  })
})

describe('transferring earnings', () => {
  const transfer = (merchant: Owner, amount: bigint, key = 'key'): Promise<Transferred> =>
    db.transaction((tx) =>
      transferEarnings(tx, { merchant, amount: cents(amount), idempotencyKey: key, at: AT }),
    )

  it('moves earnings to spot, once for a key', async () => {
    const merchant = await ownerWith(db, 0n, { earnings: true })
    await credit(db, merchant, cents(500n), { kind: 'earnings' })
    const first = await transfer(merchant, 200n)
    assert.deepEqual(await transfer(merchant, 200n), {
      transactionId: first.transactionId,
      replayed: true,
    })
    await assert.rejects(transfer(merchant, 201n), refusal('IDEMPOTENCY_CONFLICT'))
    assert.equal(await readBalance(db, merchant.id), 200n)
    assert.equal(await readBalance(db, merchant.id, 'earnings'), 300n)
  })

  it('more than has been earned is refused, whatever the spot wallet holds', async () => {
    const merchant = await ownerWith(db, 9999n, { earnings: true })
    await credit(db, merchant, cents(500n), { kind: 'earnings' })
    await assert.rejects(
      transfer(merchant, 501n),
      refusal('INSUFFICIENT_BALANCE', { requiredCents: 501n, availableCents: 500n }),
    )
  })
})
