// The rounds of confirmations on a real node: what arrives for an account that was deleted meanwhile is put
// aside, and a case is open; what is more than a round takes follows at once.
import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, test } from 'node:test'
import { HANDLERS } from '../../apps/server/src/edges/jobs/chain-handlers.ts'
import { createConfirmTransfers } from '../../apps/server/src/edges/jobs/confirm-transfers.ts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { until } from '../../apps/server/src/infra/testing/until.ts'
import { WAITING } from '../../apps/server/src/infra/testing/waiting.ts'
import { assertDefined } from '../../apps/server/src/kernel/assert.ts'
import { type Address, baseUnits } from '../../apps/server/src/kernel/chain.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { Refusal } from '../../apps/server/src/kernel/refusal.ts'
import { closeMerchant } from '../../apps/server/src/modules/accounts/identity/index.ts'
import {
  aMerchant,
  aSubUser,
} from '../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import {
  createAddressFor,
  type Purpose,
} from '../../apps/server/src/modules/crypto/chains/index.ts'
import { auditDeposits, listDeposits } from '../../apps/server/src/modules/crypto/deposits/index.ts'
import {
  auditCustodyDeposits,
  custodyHandler,
  readCustodyDeposits,
} from '../../apps/server/src/modules/crypto/payouts/index.ts'
import {
  findOwnersInCustody,
  post,
  readBalance as readInKind,
} from '../../apps/server/src/modules/money/custody/index.ts'
import { readBalance } from '../../apps/server/src/modules/money/ledger/index.ts'
import { closeAccount } from '../../apps/server/src/modules/trading/buying/testing/buyers.ts'
import {
  createReporters,
  listCases,
  type Reporter,
} from '../../apps/server/src/modules/trading/reconciliation/index.ts'
import { depositView } from '../../apps/server/src/wire/merchant/deposit.ts'
import { payOften } from './pay-often.ts'
import { auditAll, deriver, openWatch } from './watch.ts'

const database = await testDatabase()
const { db } = database
const watch = await openWatch({ db, handlers: HANDLERS })
const { chain, clock, node, rules, readPrice } = watch
await chain.mine(3)
await watch.scan()
after(async () => {
  await chain.stop()
  await database.close()
})

const alarms: object[] = []
const log = {
  ...{ debug() {}, info() {}, warn() {} },
  error: (details: object) => void alarms.push(details),
}
const metrics = createMetrics()
const guard = createReporters({ db, clock, log, metrics })('guard')
beforeEach(() => {
  alarms.length = 0
})
afterEach(async () => {
  const found = [await auditAll(db), await auditDeposits(db), await auditCustodyDeposits(db)]
  assert.deepEqual(found, [[], [], []])
})

const run = { signal: new AbortController().signal, processId: 'test' }
const jobWith = (onCase: Reporter) => {
  const [job] = createConfirmTransfers({
    ...{ db, clock, log, metrics: createMetrics(), onCase, handlers: HANDLERS, treasury: null },
    ...{ chains: [{ node, rules }], readPrice, everyMs: 1000 },
  })
  return assertDefined(job, 'the job of the chain')
}
const round = async (onCase: Reporter = guard): Promise<void> => {
  await jobWith(onCase).work(run)
}
const addressFor = createAddressFor({ deriver, clock })
const addressOf = (ownerId: string, purpose: Purpose): Promise<Address> =>
  db.transaction((tx) => addressFor(tx, { ownerId, purpose }))
const arrive = async (address: Address, units: bigint): Promise<void> => {
  await chain.pay(address, 'USDC', units)
  await chain.mine(3)
  await watch.scan()
}
const casesOf = async (accountId: string) =>
  (await listCases(db, { state: null, kind: 'deposit_unclaimed', limit: 100 })).filter(
    ({ details }) => details.accountId === accountId,
  )

const PUT_ASIDE = sql(
  '',
  `select coalesce(sum(p.amount), 0)::bigint cents from ledger.posting p
   where p.credit_account_id = ledger.house('unclaimed_deposits', 'USD')`,
)
const putAside = async (): Promise<bigint> =>
  (await db.query<{ cents: bigint }>(PUT_ASIDE))[0]?.cents ?? 0n

const aDeletedUser = async () => {
  const { id: tenantId } = await aMerchant(db)
  const { id } = await aSubUser(db, tenantId)
  const address = await addressOf(id, 'deposit')
  await closeAccount(db, id, 'deleted')
  const deposits = async () => (await listDeposits(db, id, { cursor: null, limit: 10 })).items
  return { id, address, deposits }
}

test('a deposit for a deleted user is put aside with one case, and says that nothing was credited', async () => {
  const user = await aDeletedUser()
  const before = await putAside()
  await arrive(user.address, 33_000_000n)
  await round()
  await round()
  assert.deepEqual([await readBalance(db, user.id), (await putAside()) - before], [0n, 33_00n])
  const [deposit] = await user.deposits()
  const { id, status, creditedAmount } = depositView(assertDefined(deposit, 'the deposit'))
  assert.deepEqual([status, creditedAmount], ['completed', 0])
  const [found, ...more] = await casesOf(user.id)
  assert.deepEqual(more, [])
  assert.deepEqual(
    [found?.subject, found?.details],
    [
      `deposit:${id}`,
      {
        ...{ depositId: id, accountId: user.id, purpose: 'deposit' },
        ...{ chain: 'ethereum', token: 'USDC', units: '33000000' },
      },
    ],
  )
  assert.equal(alarms.length, 1)
})

test('small transfers to a deleted user have one case, when they are put aside together', async () => {
  const user = await aDeletedUser()
  await arrive(user.address, 600_000n)
  await round()
  assert.deepEqual(await casesOf(user.id), [])
  await arrive(user.address, 700_000n)
  await round()
  const completed = (await user.deposits()).filter(({ status }) => status === 'completed')
  assert.deepEqual(
    (await casesOf(user.id)).map(({ subject, details }) => [subject, details.units]),
    completed.map(({ id }) => [`deposit:${id}`, '1300000']),
  )
  assert.equal(completed.length, 1)
})

test('nothing is put aside without its case: a crash between them takes both back', async () => {
  const user = await aDeletedUser()
  const before = await putAside()
  await arrive(user.address, 44_000_000n)
  const crashing: Reporter = Object.assign(async () => {}, {
    within: async (...given: Parameters<Reporter['within']>) => {
      await guard.within(...given)
      throw new Error('crash')
    },
  })
  await assert.rejects(round(crashing), /crash/)
  assert.deepEqual([await casesOf(user.id), await putAside()], [[], before])
  assert.deepEqual(alarms, [])
  await round()
  assert.deepEqual([(await casesOf(user.id)).length, await putAside()], [1, before + 44_00n])
})

const USDC = { chain: 'ethereum', token: 'USDC' } as const
const inKindOf = (ownerId: string): Promise<bigint[]> =>
  Promise.all([
    readInKind(db, { role: 'merchant', ownerId }, USDC),
    readInKind(db, { role: 'unclaimed', ownerId }, USDC),
  ])
const EVENTS = sql('', 'select type from outbox.event where account_id = $1 order by id')
const eventsOf = async (merchantId: string): Promise<string[]> =>
  (await db.query<{ type: string }>(EVENTS, [merchantId])).map(({ type }) => type)
const close = (merchantId: string): Promise<void> =>
  db.transaction((tx) =>
    closeMerchant(tx, merchantId, clock.now(), {
      openBusiness: [findOwnersInCustody],
      closeBusiness: [],
    }),
  )

test('custody for a closed merchant is put aside with a case, and no event leaves', async () => {
  const { id } = await aMerchant(db)
  const address = await addressOf(id, 'payout_custody')
  // Under way when the merchant closes.
  await arrive(address, 7_000_000n)
  await close(id)
  await round()
  await round()
  assert.deepEqual(await inKindOf(id), [0n, 7_000_000n])
  assert.deepEqual(await findOwnersInCustody(db, [id]), [])
  assert.deepEqual(await eventsOf(id), [])
  const cases = await casesOf(id)
  const depositId = String(cases[0]?.details.depositId)
  assert.deepEqual(
    cases.map(({ details }) => details),
    [{ depositId, accountId: id, purpose: 'payout_custody', ...USDC, units: '7000000' }],
  )
  const [deposit] = await readCustodyDeposits(db, [depositId])
  assert.deepEqual([deposit?.merchantId, deposit?.status], [id, 'completed'])
})

test('custody that was put aside and leaves its chain is taken back from there', async () => {
  const { id } = await aMerchant(db)
  const address = await addressOf(id, 'payout_custody')
  await close(id)
  await arrive(address, 9_000_000n)
  await round()
  assert.deepEqual(await inKindOf(id), [0n, 9_000_000n])
  await chain.reorg(3)
  await chain.mine(1)
  await watch.scan()
  clock.advance(2 * 3_600_000)
  await round()
  assert.deepEqual(await inKindOf(id), [0n, 0n])
})

test('a merchant closes after the custody that arrives at the same moment, and has to pay it out first', async () => {
  const { id } = await aMerchant(db)
  const transferId = newId()
  let closing: Promise<void> = Promise.resolve()
  await db.transaction(async (tx) => {
    const seen = { transferId, ownerId: id, ...USDC, units: 5n, decimals: 6, at: clock.now() }
    await custodyHandler.record(tx, { ...seen, address: '0x1', txHash: '0x2' })
    const holder = await custodyHandler.holderOf(tx, { transferId })
    closing = close(id)
    closing.catch(() => {})
    await until('the closing waits', async () => (await db.query(WAITING)).length > 0)
    const posting = {
      ...{ key: `transfer:${transferId}`, reason: 'deposit', refId: transferId, ...USDC },
      ...({ debit: 'deposit_address', credit: holder } as const),
      units: baseUnits(5n),
    }
    await post(tx, [posting], clock.now())
    await custodyHandler.credit(tx, { transferId, confirmations: 3n, at: clock.now() })
  })
  await assert.rejects(
    closing,
    (error) => error instanceof Refusal && error.key === 'ACCOUNT_HAS_FUNDS',
  )
  assert.deepEqual(await inKindOf(id), [5n, 0n])
  assert.deepEqual(await eventsOf(id), ['payout.crypto.deposit.completed'])
})

test('a full round is followed by the next one at once, and the last one is not', async () => {
  const { id: tenantId } = await aMerchant(db)
  const { id } = await aSubUser(db, tenantId)
  await payOften(chain, await addressOf(id, 'deposit'), { units: 1_000_000n, count: 201 })
  await chain.mine(3)
  await watch.scan()
  const job = jobWith(guard)
  assert.deepEqual([await job.work(run), await readBalance(db, id)], [true, 200_00n])
  assert.deepEqual([await job.work(run), await readBalance(db, id)], [false, 201_00n])
})

/** Of so many owners one transfer each that is never due. */
const PLANT = sql(
  '',
  `insert into chains.transfer (chain, tx_hash, kind, ordinal, contract, token, decimals, sender, recipient, address_id,
     owner_id, purpose, units, block_number, block_hash, first_seen_at, due_at)
   select 'ethereum', '0x', 'native', n::text, '0x', 'NATIVE', 18, '0x', '0x', a.id, uuidv7(), 'deposit', 1, 0, '0x', now(),
     'infinity' from generate_series(1, $1) n, (select id from chains.address limit 1) a`,
)

test('owners of whom nothing is due keep no other from its turn', async () => {
  await db.query(PLANT, [450])
  const { id: tenantId } = await aMerchant(db)
  const { id } = await aSubUser(db, tenantId)
  await arrive(await addressOf(id, 'deposit'), 3_000_000n)
  const job = jobWith(guard)
  const rounds = [await job.work(run), await job.work(run), await job.work(run)]
  assert.deepEqual([rounds, await readBalance(db, id)], [[true, true, false], 3_00n])
})
