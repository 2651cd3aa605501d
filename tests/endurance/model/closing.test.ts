// Accounts that are closed at random moments: merchants in dollars and euros with users in both, whose money
// is funded, deposited, taken back by the provider when it is spent, adjusted and moved back, several at
// once. No account is closed with a balance that is not zero, whatever the others have.
// CLOSING_MODEL_RUNS and CLOSING_MODEL_STEPS make it longer, CLOSING_MODEL_SEED another history.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import { manualClock } from '../../../apps/server/src/infra/testing/clock.ts'
import { testDatabase } from '../../../apps/server/src/infra/testing/database.ts'
import { newId } from '../../../apps/server/src/kernel/id.ts'
import { type Currency, cents } from '../../../apps/server/src/kernel/money.ts'
import { Refusal } from '../../../apps/server/src/kernel/refusal.ts'
import {
  closeMerchant,
  createSubUser,
  deletedAccountsPart,
  deleteSubUser,
  keepAccount,
} from '../../../apps/server/src/modules/accounts/identity/index.ts'
import { aMerchant } from '../../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import type { Depositor } from '../../../apps/server/src/modules/crypto/deposits/open-deposit.ts'
import { givenDeposits } from '../../../apps/server/src/modules/crypto/deposits/testing/depositors.ts'
import { fund, readBalance } from '../../../apps/server/src/modules/money/ledger/index.ts'
import { postAdjustment } from '../../../apps/server/src/operations/acts/money.ts'
import {
  CLOSE_BUSINESS,
  OPEN_BUSINESS,
} from '../../../apps/server/src/operations/acts/open-business.ts'
import { diceOf } from '../dice.ts'

const SEED = Number(process.env.CLOSING_MODEL_SEED ?? Math.floor(Math.random() * 1_000_000))
const RUNS = Number(process.env.CLOSING_MODEL_RUNS ?? 3)
const STEPS = Number(process.env.CLOSING_MODEL_STEPS ?? 120)
const MERCHANTS = 4

const database = await testDatabase({ poolSize: 20 })
const { db } = database
after(() => database.close())
const clock = manualClock()
const deposits = givenDeposits(db, clock)
const deps = { openBusiness: OPEN_BUSINESS, closeBusiness: CLOSE_BUSINESS }

type Below = (most: number) => number
interface Merchant {
  readonly id: string
  readonly currency: Currency
  readonly users: Depositor[]
  /** Of all merchants: what was paid to a closed one is taken back too. */
  readonly depositIds: string[]
}

const CURRENCIES = ['USD', 'EUR'] as const
const pick = <T>(of: readonly T[], below: Below): T | undefined => of[below(of.length)]

const addUser = async (merchant: Merchant, currency: Currency): Promise<void> => {
  const { subUser } = await db.transaction((tx) =>
    createSubUser(tx, {
      ...{ merchantId: merchant.id, currency, at: clock.now() },
      ...{ email: null, platformId: null, externalId: null },
    }),
  )
  merchant.users.push({ accountId: subUser.id, tenantId: merchant.id, currency })
}

/** All that the side which pays has, so that it is at zero again. */
const move = async (
  merchant: Merchant,
  user: Depositor,
  direction: 'fund' | 'defund',
): Promise<void> => {
  const has = await readBalance(db, direction === 'fund' ? merchant.id : user.accountId)
  if (has <= 0n) return
  await db.transaction(async (tx) => {
    await keepAccount(tx, user.accountId)
    await fund(tx, {
      ...{ direction, merchant, amount: has, subUserAmount: has },
      subUser: { id: user.accountId, currency: user.currency },
      ...{ idempotencyKey: newId(), at: clock.now() },
    })
  })
}

/** Of a deposit in dollars. Adjustments are of as much, so that balances often come to zero together. */
const CREDITED = cents(99_00n)

const CLOSE = (merchant: Merchant): Promise<void> =>
  db.transaction((tx) => closeMerchant(tx, merchant.id, clock.now(), deps))

const ACTS: readonly ((merchant: Merchant, below: Below) => Promise<unknown>)[] = [
  (merchant, below) => addUser(merchant, CURRENCIES[below(2)] ?? 'USD'),
  async (merchant, below) => {
    const user = pick(merchant.users, below)
    if (user === undefined) return
    const { id } = await deposits.given(user, 100_00n)
    merchant.depositIds.push(id)
    deposits.gateway.pay(id, '100', { state: 'paid' })
    await deposits.follow()
  },
  async (merchant, below) => {
    const id = pick(merchant.depositIds, below)
    if (id === undefined || (deposits.gateway.orders.get(id)?.refunds.length ?? 1) > 0) return
    deposits.gateway.refund(id, '100')
    await deposits.follow()
  },
  ...(['fund', 'defund', 'defund'] as const).map(
    (direction) => async (merchant: Merchant, below: Below) => {
      const user = pick(merchant.users, below)
      if (user !== undefined) await move(merchant, user, direction)
    },
  ),
  async (merchant, below) => {
    const user = pick(merchant.users, below)
    const accountId = below(2) === 0 || user === undefined ? merchant.id : user.accountId
    const amount = CREDITED
    const side = below(2) === 0 ? 'credit' : 'debit'
    const order = {
      accountId,
      wallet: 'spot',
      side,
      amount,
      reason: 'r',
      reference: newId(),
    } as const
    await db.transaction((tx) => postAdjustment(tx, order, clock.now()))
  },
  async (merchant, below) => {
    const user = pick(merchant.users, below)
    if (user === undefined) return
    await db.transaction((tx) => deleteSubUser(tx, user.accountId, clock.now(), deps))
  },
  CLOSE,
]

const STRANDED = sql(
  'test.stranded',
  `select a.kind, a.currency::text, b.posted from identity.account i join ledger.account a on a.owner_id = i.id
     join ledger.balance b on b.account_id = a.id where i.status = 'deleted' and b.posted <> 0`,
)
const UNMATCHED = sql(
  'test.orphans',
  `select c.id from identity.account c join identity.account p on p.id = c.parent_id
   where p.status = 'deleted' and c.status <> 'deleted'`,
)
const CLOSED = sql(
  'test.closed',
  `select kind, count(*)::int count from identity.account where status = 'deleted' group by 1 order by 1`,
)
const AUDIT_TRADES = sql('test.audit_trades', 'select invariant, detail from trades.audit()')

for (let run = 0; run < RUNS; run++) {
  test(`no account is closed with a balance or above an open one (seed ${SEED + run})`, async (t) => {
    const throwDice = diceOf(SEED + run)
    const below: Below = (most) => Math.floor(throwDice() * most)
    const depositIds: string[] = []
    const open = async (i: number): Promise<Merchant> => {
      const merchant = await aMerchant(db, { currency: CURRENCIES[i % 2] ?? 'USD' })
      const opened = { ...merchant, users: [], depositIds }
      for (const currency of CURRENCIES) await addUser(opened, currency)
      return opened
    }
    const merchants = await Promise.all(Array.from({ length: MERCHANTS }, (_, i) => open(i)))
    const refusals = new Map<string, number>()
    for (let i = 0; i < STEPS; i++) {
      const place = below(MERCHANTS)
      const merchant = merchants[place] ?? assert.fail()
      const acts = Array.from({ length: 1 + below(3) }, () => pick(ACTS, below))
      const results = await Promise.allSettled(acts.map((act) => act?.(merchant, below)))
      for (const result of results) {
        if (result.status === 'fulfilled') continue
        if (!(result.reason instanceof Refusal)) throw result.reason
        refusals.set(result.reason.key, (refusals.get(result.reason.key) ?? 0) + 1)
      }
      assert.deepEqual(await db.query(STRANDED), [])
      assert.deepEqual(await db.query(UNMATCHED), [])
      // A closed merchant is followed by a new one.
      const isClosed = results.some(({ status }, n) => acts[n] === CLOSE && status === 'fulfilled')
      if (isClosed) merchants[place] = await open(place)
    }
    assert.deepEqual(await deposits.audit(), [])
    assert.deepEqual(await db.query(AUDIT_TRADES), [])
    const { violations } = await deletedAccountsPart(OPEN_BUSINESS).audit(db, null)
    assert.deepEqual(violations, [])
    const closed = await db.query<{ kind: string; count: number }>(CLOSED)
    t.diagnostic([...closed.map(({ kind, count }) => `${kind}: ${count}`), ...refusals].join('; '))
  })
}
