// Two years of random business against a model that fits on a page: each month says what the model says, and
// a month that was read once says the same for ever.
import assert from 'node:assert/strict'
import { after, before, test as it } from 'node:test'
import fc from 'fast-check'
import { type Db, sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import type { Currency } from '#kernel/money'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { readWallet } from './balances.ts'
import { type MonthlyStatement, readMonthlyStatement } from './monthly-statement.ts'
import { ownerWith } from './testing/wallets.ts'

let test: TestDatabase
let db: Db
before(async () => {
  test = await testDatabase()
  db = test.db
})
after(() => test.close())

const POST = sql(
  'testing.post_entry',
  `select journal_id id from ledger.post($1, $2, $3, $4, '\\x00', $5, $6::ledger.currency[], $7, $8, $9, null, null)`,
)
const REVERSE = sql('testing.reverse_entry', `select ledger.reverse($1, $2, $3, $4) id`)
const ACCOUNTS = sql(
  'testing.accounts',
  `select kind || ':' || coalesce(owner_id::text, currency::text) name, id from ledger.account`,
)
const HOLD = sql(
  'testing.hold',
  `select ledger.place_holds($1, $2, array[$3::uuid], array[$4::bigint])`,
)
const RESOLVE = sql(
  'testing.resolve',
  `select ledger.resolve_holds($1, array[$2::uuid], array[$3::bigint], array[$4::bigint], array[0::bigint])`,
)

interface Owner {
  readonly id: string
  readonly currency: Currency
}

/** A side of a posting as a wallet's owner reads it. */
interface Moved {
  readonly wallet: string
  readonly type: string
  /** Signed cents. */
  readonly amount: bigint
}
interface Fees {
  readonly owner: Owner
  readonly house: bigint
  readonly merchant: bigint
}

const ACTS = ['deposit', 'fund', 'reversed', 'settled', 'refunded', 'sold', 'earned'] as const
interface Act {
  readonly act: (typeof ACTS)[number]
  readonly ofSubUser: boolean
  readonly amount: number
  /** Days since the act before. */
  readonly days: number
  /** Posted now under a time so many days ago. */
  readonly lateDays: number
  /** Months before the running one: one of them is read after the act. */
  readonly reads: number | null
}
const act: fc.Arbitrary<Act> = fc.record({
  act: fc.constantFrom(...ACTS),
  ofSubUser: fc.boolean(),
  amount: fc.integer({ min: 100, max: 90_000 }),
  days: fc.integer({ min: 4, max: 21 }),
  lateDays: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 70 })),
  reads: fc.option(fc.integer({ min: 0, max: 5 })),
})

const START = Date.parse('2030-01-01T00:00:00.000Z')
const DAY_MS = 86_400_000
const MONTHS = 24
const monthOf = (at: Date): string => at.toISOString().slice(0, 7)
const monthAt = (index: number): string => monthOf(new Date(Date.UTC(2030, index, 15)))

/** What each wallet and each chain of fees has in each month. */
class Model {
  /** Months of a chain never go back, and a month that is closed gets nothing more. */
  readonly #newest = new Map<string, string>()
  readonly #firstOpen = new Map<string, string>()
  readonly rows = new Map<string, Moved[]>()
  readonly fees = new Map<string, { house: bigint; merchant: bigint }>()

  #placeIn(chain: string, owner: string, at: Date): string {
    const month = [monthOf(at), this.#newest.get(chain) ?? '', this.#firstOpen.get(owner) ?? '']
      .sort()
      .at(-1) as string
    this.#newest.set(chain, month)
    return month
  }
  move(owner: Owner, moved: Moved, at: Date): string {
    const chain = `${owner.id} ${moved.wallet}`
    const month = this.#placeIn(chain, owner.id, at)
    const key = `${chain} ${month}`
    this.rows.set(key, [...(this.rows.get(key) ?? []), moved])
    return month
  }
  /** A posting of escrow, which is a chain too. */
  escrow(owner: Owner, at: Date): string {
    return this.#placeIn(`${owner.id} escrow`, owner.id, at)
  }
  charge({ owner, house, merchant }: Fees, month: string): void {
    const key = `${owner.id} ${month}`
    const old = this.fees.get(key) ?? { house: 0n, merchant: 0n }
    this.fees.set(key, { house: old.house + house, merchant: old.merchant + merchant })
  }
  /** All months before this one are closed. */
  close(owner: Owner, before: string): void {
    const known = this.#firstOpen.get(owner.id) ?? ''
    if (before > known) this.#firstOpen.set(owner.id, before)
  }
  walletMonth(owner: Owner, wallet: string, month: string) {
    const chain = `${owner.id} ${wallet} `
    let opening = 0n
    for (const [key, moved] of this.rows) {
      if (key.startsWith(chain) && key.slice(chain.length) < month) {
        opening += moved.reduce((sum, { amount }) => sum + amount, 0n)
      }
    }
    const rows = new Map<string, { type: string; count: number; credit: bigint; debit: bigint }>()
    let closing = opening
    for (const { type, amount } of this.rows.get(chain + month) ?? []) {
      const row = rows.get(type) ?? { type, count: 0, credit: 0n, debit: 0n }
      const [credit, debit] = amount > 0n ? [amount, 0n] : [0n, -amount]
      rows.set(type, {
        ...row,
        count: row.count + 1,
        credit: row.credit + credit,
        debit: row.debit + debit,
      })
      closing += amount
    }
    const fees = this.fees.get(`${owner.id} ${month}`)
    return {
      ...{ kind: wallet, currency: owner.currency, opening, closing },
      rows: [...rows.values()].sort((a, b) => (a.type < b.type ? -1 : 1)),
      fees: wallet === 'spot' && fees !== undefined ? fees : { house: 0n, merchant: 0n },
    }
  }
}

it('24 months of random business: every statement adds up as the ledger does, and stays as it was first read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 50, maxLength: 60 }), runBusiness),
    // A failure says its seed; shrinking would take minutes.
    { numRuns: 6, endOnFailure: true },
  )
})

async function runBusiness(acts: readonly Act[]): Promise<void> {
  const model = new Model()
  const merchant = await ownerWith(db, 0n, { earnings: true })
  const subUser = await ownerWith(db, 0n, { currency: 'EUR' })
  const accounts = new Map(
    (await db.query<{ name: string; id: bigint }>(ACCOUNTS)).map(({ name, id }) => [name, id]),
  )
  const account = (kind: string, of: string): bigint => accounts.get(`${kind}:${of}`) as bigint
  const post = async (
    kind: string,
    { owner, ref = newId(), at }: { owner: Owner; ref?: string; at: Date },
    legs: readonly (readonly [Currency, bigint, bigint, bigint])[],
  ): Promise<string> => {
    const values = [kind, ref, owner.id, kind === 'settle' ? `settle:${ref}` : newId(), at]
    const columns = [0, 1, 2, 3].map((i) => legs.map((leg) => leg[i]))
    const [row] = await db.query<{ id: string }>(POST, [...values, ...columns])
    return row?.id ?? ''
  }
  const firstRead = new Map<string, MonthlyStatement>()
  const read = async (owner: Owner, month: string, at: Date): Promise<MonthlyStatement> => {
    const statement = await readMonthlyStatement(db, { ownerId: owner.id, month, at })
    if (!statement.isClosed) model.close(owner, month)
    else if (month >= monthAt(0)) model.close(owner, monthAt(monthIndexOf(month) + 1))
    const key = `${owner.id} ${month}`
    const known = firstRead.get(key)
    if (known !== undefined) assert.deepEqual(statement, known)
    if (statement.isClosed) firstRead.set(key, statement)
    return statement
  }

  let now = START
  for (const one of acts) {
    now += one.days * DAY_MS
    const current = new Date(now)
    const at = new Date(Math.max(START, now - one.lateDays * DAY_MS))
    const owner = one.ofSubUser ? subUser : merchant
    await perform(one, owner, at)
    if (one.reads === null) continue
    const back = Math.max(0, monthIndexOf(monthOf(current)) - one.reads)
    await read(owner, monthAt(back), current)
  }

  const end = new Date(Date.UTC(2030, monthIndexOf(monthOf(new Date(now))) + 1, 1))
  const months = Math.max(MONTHS, monthIndexOf(monthOf(end)))
  for (const owner of [merchant, subUser]) {
    const kinds = owner === merchant ? ['spot', 'earnings'] : ['spot']
    const numbers: string[] = []
    for (let index = 0; index < months; index++) {
      const { number, wallets } = await read(
        owner,
        monthAt(index),
        new Date(Date.UTC(2030, months, 2)),
      )
      numbers.push(number ?? '')
      assert.deepEqual(
        wallets,
        kinds.map((kind) => model.walletMonth(owner, kind, monthAt(index))),
      )
      for (const { opening, closing, rows } of wallets) {
        const moved = rows.reduce((sum, { credit, debit }) => sum + credit - debit, 0n)
        assert.equal(opening + moved, closing)
      }
      if (index === months - 1) {
        for (const { kind, closing } of wallets) {
          assert.equal(closing, (await readWallet(db, owner.id, kind)).balance)
        }
      }
    }
    const [first = ''] = numbers
    const from = Number(first.slice(8))
    assert.deepEqual(
      numbers,
      numbers.map((_, i) => `${monthAt(i)}-${String(from + i).padStart(4, '0')}`),
    )
  }

  async function perform(one: Act, owner: Owner, at: Date): Promise<void> {
    const { currency } = owner
    const amount = BigInt(one.amount)
    const spot = account('spot', owner.id)
    const of = { owner, at }
    const deposit = async (): Promise<string> => {
      const id = await post('deposit', of, [
        [currency, account('clearing_demo', currency), spot, amount],
      ])
      model.move(owner, { wallet: 'spot', type: 'deposit_credit', amount }, at)
      return id
    }
    switch (one.act) {
      case 'deposit':
        await deposit()
        return
      case 'fund': {
        await deposit()
        const [to, received] = owner === merchant ? [subUser, amount / 2n] : [merchant, amount]
        await post('fund', of, [
          [currency, spot, account('exchange', currency), amount],
          [to.currency, account('exchange', to.currency), account('spot', to.id), received],
        ])
        model.move(owner, { wallet: 'spot', type: 'fund_out', amount: -amount }, at)
        model.move(to, { wallet: 'spot', type: 'fund_in', amount: received }, at)
        return
      }
      case 'reversed': {
        const journal = await deposit()
        await db.query(REVERSE, [journal, newId(), 'reverse', at])
        model.move(owner, { wallet: 'spot', type: 'deposit_credit', amount: -amount }, at)
        return
      }
      case 'settled':
      case 'refunded': {
        await deposit()
        const ref = newId()
        const escrow = account('escrow', owner.id)
        const paid = await post('buy', { ...of, ref }, [[currency, spot, escrow, amount]])
        await db.query(HOLD, [paid, owner.id, ref, amount])
        model.move(owner, { wallet: 'spot', type: 'trade_payment', amount: -amount }, at)
        model.escrow(owner, at)
        if (one.act === 'refunded') {
          const back = await post('refund', { ...of, ref }, [[currency, escrow, spot, amount]])
          await db.query(RESOLVE, [back, ref, 0n, amount])
          model.move(owner, { wallet: 'spot', type: 'trade_refund', amount }, at)
          model.escrow(owner, at)
          return
        }
        const house = amount / 20n
        const fee = owner === merchant ? 0n : amount / 50n
        const earned = fee * 2n
        const legs: [Currency, bigint, bigint, bigint][] = [
          [currency, escrow, account('house_revenue', currency), house],
          [currency, escrow, account('supplier_prefund', currency), amount - house - fee],
        ]
        if (fee > 0n) {
          legs.push([currency, escrow, account('exchange', currency), fee])
          legs.push(['USD', account('exchange', 'USD'), account('earnings', merchant.id), earned])
        }
        const settled = await post('settle', { ...of, ref }, legs)
        await db.query(RESOLVE, [settled, ref, amount, 0n])
        model.charge({ owner, house, merchant: fee }, model.escrow(owner, at))
        if (fee > 0n) {
          model.move(merchant, { wallet: 'earnings', type: 'fee_credit', amount: earned }, at)
        }
        return
      }
      case 'sold': {
        const ref = newId()
        const fee = owner === merchant ? 0n : amount / 50n
        const inventory = account('inventory', currency)
        await post('proceeds', { ...of, ref }, [[currency, inventory, spot, amount - fee]])
        const month = model.move(
          owner,
          { wallet: 'spot', type: 'trade_payout', amount: amount - fee },
          at,
        )
        if (fee === 0n) return
        await post('settle', { ...of, ref }, [
          [currency, inventory, account('exchange', currency), fee],
          ['USD', account('exchange', 'USD'), account('earnings', merchant.id), fee * 2n],
        ])
        model.charge({ owner, house: 0n, merchant: fee }, month)
        model.move(merchant, { wallet: 'earnings', type: 'fee_credit', amount: fee * 2n }, at)
        return
      }
      case 'earned': {
        const earnings = account('earnings', merchant.id)
        const to = account('spot', merchant.id)
        const from = { owner: merchant, at }
        await post('adjustment', from, [['USD', account('adjustment', 'USD'), earnings, amount]])
        await post('earnings_transfer', from, [['USD', earnings, to, amount]])
        model.move(merchant, { wallet: 'earnings', type: 'adjustment', amount }, at)
        model.move(merchant, { wallet: 'earnings', type: 'transfer_out', amount: -amount }, at)
        model.move(merchant, { wallet: 'spot', type: 'transfer_in', amount }, at)
      }
    }
  }
}

const monthIndexOf = (month: string): number =>
  (Number(month.slice(0, 4)) - 2030) * 12 + Number(month.slice(5)) - 1
