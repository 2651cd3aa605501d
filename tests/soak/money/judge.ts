// The verdict: what the chains and the providers say is what the books say. Each function throws with the
// first contradiction; the invariants I1 to I7 are named where they are checked.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '../../../apps/server/src/infra/clock.ts'
import { type Db, sql } from '../../../apps/server/src/infra/db.ts'
import { createHttpClient } from '../../../apps/server/src/infra/http-client.ts'
import { silentLog } from '../../../apps/server/src/infra/log.ts'
import { createMetrics } from '../../../apps/server/src/infra/metrics.ts'
import { reconcileChain } from '../../../apps/server/src/modules/chains/index.ts'
import { createEvmChain } from '../../../apps/server/src/providers/evm/index.ts'
import { ROOT } from '../../support/child.ts'
import { balanceOf, centsOf } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import { type Canonical, type Movement, readCanonical } from './canonical.ts'
import { CHAINS, type ChainName, type MoneyStack } from './stack.ts'
import { START_CENTS, type Traffic } from './traffic.ts'

export interface Verdict {
  readonly credited: number
  readonly refills: number
  readonly orders: number
  readonly ends: ReadonlyMap<string, number>
  readonly transactions: number
  readonly attempts: number
  readonly events: number
}

export async function judge(
  stack: MoneyStack,
  traffic: Traffic,
  say: (text: string) => void,
): Promise<Verdict> {
  await booksEqualChains(stack)
  say('the books equal the chains')
  const views = new Map<ChainName, Canonical>()
  for (const chain of CHAINS) views.set(chain, await readCanonical(stack.sandbox.url, chain))
  const transfers = await creditedOnce(stack.db, views)
  say('every canonical transfer is credited exactly once')
  await ordersCredited(stack, traffic)
  await walletsAreTheirDeposits(stack, traffic)
  say('every wallet is what was deposited into it')
  const ends = await withdrawalsEnded(stack, traffic, views)
  say('every withdrawal is confirmed and paid once, or refunded and not paid')
  const sent = await noncesContiguous(stack.db, views)
  await cursorsCanonical(stack.db, views)
  const events = await eventsOnce(stack.db)
  say('nonces are contiguous, cursors canonical, events delivered once')
  await auditClean(stack)
  await noCaseOpen(stack.db)
  say('the audit of the books is clean, and no case is open')
  return { ...transfers, ...sent, ends, events, orders: traffic.orders.length }
}

// ---------------------------------------------------------------- I5: chains and books

async function booksEqualChains({ sandbox, db }: MoneyStack): Promise<void> {
  const http = createHttpClient({ log: silentLog, metrics: createMetrics() })
  try {
    for (const chain of CHAINS) {
      const { node } = createEvmChain({
        ...{ chain, http, clock: systemClock, log: silentLog },
        rpcUrls: [`${sandbox.url}/chains/${chain}/second`],
        secondRpcUrls: [],
      })
      await until(
        `the books equal ${chain}`,
        async () => {
          const result = await reconcileChain({ db, node, treasury: null })
          if (result.kind !== 'compared') throw new Error(result.kind)
          const { differences, shortfalls } = result
          if (differences.length + shortfalls.length === 0) return true
          throw new Error(
            JSON.stringify({ differences, shortfalls }, (_key, value) =>
              typeof value === 'bigint' ? value.toString() : value,
            ),
          )
        },
        { deadlineMs: 60_000, everyMs: 1000 },
      )
    }
  } finally {
    await http.close()
  }
}

// ---------------------------------------------------------------- I1: one credit for each transfer

const ADDRESSES = sql('soak_addresses', 'select lookup, purpose from chains.address')
const TRANSFERS = sql(
  'soak_transfers',
  `select t.chain, t.tx_hash "txHash", t.token, t.recipient, t.units, t.purpose, t.state, t.orphaned_at is not null orphaned,
     t.decimals, t.usd_e8 "usdE8",
     (select count(*) from custody.posting p where p.idempotency_key = 'transfer:' || t.id)::int postings,
     (select json_agg(json_build_object('status', d.status, 'cents', d.credited)) from deposits.deposit d where d.transfer_id = t.id) deposits,
     (select json_agg(json_build_object('status', d.status)) from payouts.deposit d where d.id = t.id) custody
   from chains.transfer t`,
)
interface TransferRow {
  readonly chain: string
  readonly txHash: string
  readonly token: string
  readonly recipient: string
  readonly units: string
  readonly purpose: string
  readonly state: string
  readonly orphaned: boolean
  readonly decimals: number
  readonly usdE8: bigint | null
  readonly postings: number
  readonly deposits: readonly { status: string; cents: number }[] | null
  readonly custody: readonly { status: string }[] | null
}

const identityOf = (one: Pick<TransferRow, 'chain' | 'txHash' | 'token' | 'recipient' | 'units'>) =>
  [one.chain, one.txHash, one.token, one.recipient, one.units].join(' ')

async function creditedOnce(
  db: Db,
  views: ReadonlyMap<ChainName, Canonical>,
): Promise<Pick<Verdict, 'credited' | 'refills'>> {
  const addresses = await db.query<{ lookup: string; purpose: string }>(ADDRESSES)
  const ours = new Set(addresses.map(({ lookup }) => lookup))
  const arrived = [...views.values()]
    .flatMap(({ movements }) => movements)
    .filter(({ from, to }) => ours.has(to) && !ours.has(from))
  const rows = await db.query<TransferRow>(TRANSFERS)
  const credited = rows.filter(({ state }) => state === 'credited' || state === 'reversed')
  const wanted = arrived.map(({ to, units, ...one }) =>
    identityOf({ ...one, recipient: to, units: units.toString() }),
  )
  assert.deepEqual(
    credited.map(identityOf).sort(),
    wanted.sort(),
    'credited is what the chains hold',
  )
  for (const row of rows) agreeOnTransfer(row)
  const refills = credited.filter(({ custody, deposits }) => (custody ?? deposits) === null).length
  return { credited: credited.length - refills, refills }
}

function agreeOnTransfer(row: TransferRow): void {
  const name = identityOf(row)
  const isCredited = row.state === 'credited'
  assert.equal(isCredited && row.orphaned, false, `${name} is credited and in no block`)
  assert.equal(row.postings, isCredited ? 1 : 0, `postings of ${name}`)
  if (row.purpose === 'payout_custody') {
    assert.deepEqual(
      row.custody?.map(({ status }) => status === 'completed'),
      [isCredited],
      name,
    )
  }
  if (row.purpose !== 'deposit') return
  const cents = isCredited
    ? (BigInt(row.units) * (row.usdE8 ?? 0n)) / 10n ** BigInt(row.decimals + 6)
    : 0n
  assert.deepEqual(
    row.deposits?.map(({ status, cents: booked }) => [status === 'completed', booked]),
    [[isCredited, Number(cents)]],
    name,
  )
}

// ---------------------------------------------------------------- providers and wallets

async function ordersCredited({ merchant }: MoneyStack, { orders }: Traffic): Promise<void> {
  for (const { id, behalf, promisedCents, method } of orders) {
    const deposit = await merchant.get('getDeposit', { behalf, params: { id } })
    assert.equal(deposit.status, 'completed', `${method} ${id}`)
    assert.equal(centsOf(deposit.creditedAmount ?? 0), promisedCents, `${method} ${id}`)
  }
}

const DEPOSITED = sql(
  'soak_deposited',
  `select a.external_id name, coalesce(sum(d.credited - d.reversed), 0)::int cents
   from identity.account a join deposits.deposit d on d.account_id = a.id where a.external_id is not null group by 1`,
)

async function walletsAreTheirDeposits(
  { merchant, db }: MoneyStack,
  { users }: Traffic,
): Promise<void> {
  const rows = await db.query<{ name: string; cents: number }>(DEPOSITED)
  for (const { name } of users) {
    const cents = rows.find((row) => row.name === name)?.cents ?? 0
    assert.equal(centsOf(await balanceOf(merchant, name)), START_CENTS + cents, name)
  }
}

// ---------------------------------------------------------------- I2: confirmed or refunded

const WITHDRAWALS = sql(
  'soak_withdrawals',
  `select w.id, w.external_id "externalId", w.status, w.chain, w.token, w.units, w.destination, w.failure_reason reason,
     (select count(*) from outbound.transaction t where t.purpose = 'payout' and t.ref_id = w.id)::int transactions
   from payouts.withdrawal w`,
)
interface WithdrawalRow {
  readonly id: string
  readonly externalId: string
  readonly status: string
  readonly chain: ChainName
  readonly token: string
  readonly units: string
  readonly destination: string
  readonly reason: string | null
  readonly transactions: number
}

const IN_FLIGHT = sql(
  'soak_in_flight',
  `select chain, token, units from custody.owed() where role = 'in_flight' and units <> 0`,
)

async function withdrawalsEnded(
  { db, isRejected }: MoneyStack,
  { withdrawals }: Traffic,
  views: ReadonlyMap<ChainName, Canonical>,
): Promise<Map<string, number>> {
  const rows = await db.query<WithdrawalRow>(WITHDRAWALS)
  const byExternalId = new Map(rows.map((row) => [row.externalId, row]))
  const paid = Map.groupBy(
    [...views.values()].flatMap(({ movements }) => movements),
    ({ to }) => to,
  )
  const ends = new Map<string, number>()
  let acknowledged = 0
  for (const { externalId, answer, destination } of withdrawals) {
    const row = byExternalId.get(externalId)
    const arrived = (paid.get(destination.toLowerCase()) ?? []).map(describe)
    if (answer === null || 'refused' in answer) {
      assert.deepEqual([row, arrived], [undefined, []], `${externalId} was refused`)
      continue
    }
    acknowledged += 1
    assert.ok(row?.id === answer.id, `${externalId} is kept`)
    const isPaid = row.status === 'confirmed'
    assert.ok(isPaid || row.status === 'refunded', `${externalId} is ${row.status}`)
    const one = `${row.chain} ${row.token} ${row.units}`
    assert.deepEqual(arrived, isPaid ? [one] : [], `${externalId}: ${row.status}`)
    if (isRejected(row.id)) assert.equal(row.status, 'refunded', `${externalId} was rejected`)
    const name = isPaid ? row.status : `refunded: ${row.reason}`
    ends.set(name, (ends.get(name) ?? 0) + 1)
  }
  assert.equal(rows.length, acknowledged, 'there is no withdrawal that was not asked for')
  assert.deepEqual(await db.query(IN_FLIGHT), [], 'nothing is in flight')
  return ends
}

const describe = ({ chain, token, units }: Movement): string => `${chain} ${token} ${units}`

// ---------------------------------------------------------------- I3, I4: transactions and nonces

const SENT = sql(
  'soak_sent',
  `select t.id, t.chain, t.key_ref "keyRef", t.nonce, t.state, array_agg(a.hash) hashes
   from outbound.transaction t join outbound.attempt a on a.transaction_id = t.id group by t.id`,
)
const WALLETS = sql(
  'soak_wallets',
  `select chain, key_ref "keyRef", address, next_nonce next, state from outbound.wallet`,
)

async function noncesContiguous(
  db: Db,
  views: ReadonlyMap<ChainName, Canonical>,
): Promise<Pick<Verdict, 'transactions' | 'attempts'>> {
  const sent = await db.query<{
    id: string
    chain: ChainName
    keyRef: string
    nonce: bigint
    state: string
    hashes: string[]
  }>(SENT)
  let attempts = 0
  for (const { id, chain, state, hashes } of sent) {
    attempts += hashes.length
    const receipts = await Promise.all(hashes.map((hash) => views.get(chain)?.receipt(hash)))
    const mined = receipts.filter((receipt) => receipt != null)
    assert.equal(
      mined.length,
      1,
      `transaction ${id} (${state}) has one mined attempt of ${hashes.length}`,
    )
    assert.equal(mined[0]?.succeeded, state !== 'reverted', `transaction ${id} is ${state}`)
  }
  const byWallet = Map.groupBy(sent, ({ chain, keyRef }) => `${chain} ${keyRef}`)
  type Wallet = { chain: ChainName; keyRef: string; address: string; next: bigint; state: string }
  for (const { chain, keyRef, address, next, state } of await db.query<Wallet>(WALLETS)) {
    const name = `${chain} ${keyRef}`
    assert.equal(state, 'open', `wallet ${name}`)
    const nonces = (byWallet.get(name) ?? [])
      .map(({ nonce }) => Number(nonce))
      .sort((a, b) => a - b)
    assert.deepEqual(
      nonces,
      nonces.map((_, i) => i),
      `nonces of ${name} are contiguous`,
    )
    assert.equal(Number(next), nonces.length, `the next nonce of ${name}`)
    assert.equal(await views.get(chain)?.nonceOf(address), nonces.length, `${name} on its chain`)
  }
  return { transactions: sent.length, attempts }
}

// ---------------------------------------------------------------- I6, I7, audits, cases

const CURSORS = sql('soak_cursors', 'select chain, number, hash from chains.cursor')

async function cursorsCanonical(db: Db, views: ReadonlyMap<ChainName, Canonical>): Promise<void> {
  type Cursor = { chain: ChainName; number: bigint; hash: string }
  for (const { chain, number, hash } of await db.query<Cursor>(CURSORS)) {
    assert.equal(await views.get(chain)?.hashOf(number), hash, `the cursor of ${chain}`)
  }
}

const UNDELIVERED = sql(
  'soak_undelivered',
  `select count(*)::int left from outbox.event e where not exists (
     select from webhooks.delivery d where d.event_id = e.id and d.status = 'delivered')`,
)
const FINAL_EVENTS = sql(
  'soak_final_events',
  `select coalesce(e.subject_id, w.id) id, w.status, array_agg(e.type order by e.id) types
   from payouts.withdrawal w left join outbox.event e on e.subject_id = w.id
     and e.type in ('payout.crypto.withdraw.confirmed', 'payout.crypto.withdraw.refunded')
   group by 1, 2 having array_agg(e.type) <> array['payout.crypto.withdraw.' || w.status]`,
)
const DEPOSIT_EVENTS = sql(
  'soak_deposit_events',
  `select d.id, d.status, count(e.id)::int events from deposits.deposit d
     left join outbox.event e on e.subject_id = d.id and e.type = 'deposit.completed'
   group by 1, 2 having count(e.id) <> case d.status when 'completed' then 1 else 0 end`,
)
const EVENTS = sql('soak_events', 'select count(*)::int events from outbox.event')

async function eventsOnce(db: Db): Promise<number> {
  await until(
    'every event is delivered',
    async () => {
      const [row] = await db.query<{ left: number }>(UNDELIVERED)
      if (row?.left === 0) return true
      throw new Error(`${row?.left} are left`)
    },
    { deadlineMs: 120_000, everyMs: 500 },
  )
  assert.deepEqual(
    await db.query(FINAL_EVENTS),
    [],
    'each withdrawal has the event of its end, once',
  )
  assert.deepEqual(await db.query(DEPOSIT_EVENTS), [], 'each completed deposit has its event, once')
  const [row] = await db.query<{ events: number }>(EVENTS)
  return row?.events ?? 0
}

async function auditClean({ postgres }: MoneyStack): Promise<void> {
  const program = join(ROOT, 'tools/audit.ts')
  await promisify(execFile)(process.execPath, [program, postgres.url])
}

const CASES = sql(
  'soak_open_cases',
  `select kind, subject, facts from reconciliation.case_file where cleared_at is null and resolved_at is null`,
)

async function noCaseOpen(db: Db): Promise<void> {
  await until(
    'no case is open',
    async () => {
      const open = await db.query(CASES)
      if (open.length === 0) return true
      throw new Error(JSON.stringify(open))
    },
    { deadlineMs: 150_000, everyMs: 2000 },
  )
}
