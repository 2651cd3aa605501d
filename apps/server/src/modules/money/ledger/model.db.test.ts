// Random commands against a model that fits on a page: after each, the books say what the model says.
import assert from 'node:assert/strict'
import { after, before, test as it } from 'node:test'
import fc from 'fast-check'
import type { Db } from '#infra/database/db'
import { type Currency, cents, sumCents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { readBalance } from './balances.ts'
import { type Funding, fund } from './fund.ts'
import { history } from './history.ts'
import { AT, ownerWith } from './testing/wallets.ts'

let test: TestDatabase
let db: Db
before(async () => {
  test = await testDatabase()
  db = test.db
})
after(() => test.close())

interface Command {
  readonly direction: Funding['direction']
  readonly subUser: 0 | 1 | 2
  readonly amount: number
  /** Few keys, so that replays and conflicts are common. */
  readonly key: number
}

const command: fc.Arbitrary<Command> = fc.record({
  direction: fc.constantFrom('fund' as const, 'defund' as const),
  subUser: fc.constantFrom(0 as const, 1 as const, 2 as const),
  amount: fc.integer({ min: 1, max: 400 }),
  key: fc.integer({ min: 0, max: 12 }),
})

const START = 1000n

/** Half a euro for a dollar, which makes the model's arithmetic easy: two dollars are one euro. */
const inEuros = (amount: bigint, direction: Funding['direction']): bigint =>
  direction === 'fund' ? amount / 2n : (amount + 1n) / 2n

class Model {
  merchant = START
  readonly subUsers = [0n, 0n, 0n]
  readonly done = new Map<string, string>()

  /** What the ledger must answer. */
  run({ direction, subUser, amount, key }: Command): 'moved' | 'replayed' | string {
    const request = `${subUser} ${amount}`
    const first = this.done.get(`${direction} ${key}`)
    if (first !== undefined) return first === request ? 'replayed' : 'IDEMPOTENCY_CONFLICT'
    const theirs = subUser === 2 ? inEuros(BigInt(amount), direction) : BigInt(amount)
    const sign = direction === 'fund' ? 1n : -1n
    const merchant = this.merchant - sign * BigInt(amount)
    const own = (this.subUsers[subUser] ?? 0n) + sign * theirs
    if (merchant < 0n || own < 0n) return 'INSUFFICIENT_BALANCE'
    this.merchant = merchant
    this.subUsers[subUser] = own
    this.done.set(`${direction} ${key}`, request)
    return 'moved'
  }
}

const CURRENCIES: readonly Currency[] = ['USD', 'USD', 'EUR']

it('the ledger answers and adds up as the model does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 40 }), async (commands) => {
      const model = new Model()
      const merchant = await ownerWith(db, START)
      const subUsers = await Promise.all(
        CURRENCIES.map((currency) => ownerWith(db, 0n, { currency })),
      )
      const perform = async ({ direction, subUser, amount, key }: Command): Promise<string> => {
        const other = subUsers[subUser]
        assert.ok(other)
        const whole = BigInt(amount)
        const theirs = subUser === 2 ? inEuros(whole, direction) : whole
        try {
          const { replayed } = await db.transaction((tx) =>
            fund(tx, {
              direction,
              merchant,
              subUser: other,
              amount: cents(whole),
              subUserAmount: cents(theirs),
              idempotencyKey: String(key),
              at: AT,
            }),
          )
          return replayed ? 'replayed' : 'moved'
        } catch (error) {
          if (error instanceof Refusal) return error.key
          throw error
        }
      }
      for (const one of commands) {
        // The edge refuses what converts to nothing before the ledger hears of it.
        if (one.subUser === 2 && inEuros(BigInt(one.amount), one.direction) === 0n) continue
        assert.equal(await perform(one), model.run(one), JSON.stringify(one))
      }
      assert.equal(await readBalance(db, merchant.id), model.merchant)
      for (const [i, owner] of subUsers.entries()) {
        assert.equal(await readBalance(db, owner.id), model.subUsers[i])
        const all = { cursor: null, limit: 100, type: null, status: null, from: null, to: null }
        const { items } = await history(db, { ownerId: owner.id, kind: 'spot' }, all)
        assert.equal(sumCents(items.map((entry) => entry.amount)), model.subUsers[i])
      }
    }),
    { numRuns: 25 },
  )
})
