// The invariants of money on chains, from the chains' own view and the database: what the service says about
// itself is not asked. Each throws with the first contradiction.
import assert from 'node:assert/strict'
import type { NetworkId } from '../../../apps/sandbox/src/chains/networks.ts'
import { type Db, sql } from '../../../apps/server/src/infra/database/db.ts'
import type { Canonical, Movement } from './canonical.ts'

export type Views = ReadonlyMap<NetworkId, Canonical>

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

/** I1: what arrived from outside is credited exactly once, and nothing else is. */
export async function creditedOnce(
  db: Db,
  views: Views,
): Promise<{ readonly credited: number; readonly refills: number }> {
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
  readonly chain: NetworkId
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

export interface AskedFor {
  readonly externalId: string
  /** Of this withdrawal alone. */
  readonly destination: string
  /** Null: it was refused. */
  readonly id: string | null
  /** The merchant's backend says no. */
  readonly isRejected: boolean
}

/** I2: each is confirmed and was paid once, or refunded and was not; how many by their end. */
export async function withdrawalsEnded(
  db: Db,
  withdrawals: readonly AskedFor[],
  views: Views,
): Promise<Map<string, number>> {
  const rows = await db.query<WithdrawalRow>(WITHDRAWALS)
  const byExternalId = new Map(rows.map((row) => [row.externalId, row]))
  const paid = Map.groupBy(
    [...views.values()].flatMap(({ movements }) => movements),
    ({ to }) => to,
  )
  const ends = new Map<string, number>()
  let acknowledged = 0
  for (const { externalId, id, destination, isRejected } of withdrawals) {
    const row = byExternalId.get(externalId)
    const arrived = (paid.get(destination.toLowerCase()) ?? []).map(describe)
    if (id === null) {
      assert.deepEqual([row, arrived], [undefined, []], `${externalId} was refused`)
      continue
    }
    acknowledged += 1
    assert.ok(row?.id === id, `${externalId} is kept`)
    const isPaid = row.status === 'confirmed'
    assert.ok(isPaid || row.status === 'refunded', `${externalId} is ${row.status}`)
    const one = `${row.chain} ${row.token} ${row.units}`
    assert.deepEqual(arrived, isPaid ? [one] : [], `${externalId}: ${row.status}`)
    if (isRejected) assert.equal(row.status, 'refunded', `${externalId} was rejected`)
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

/**
 * I3 and I4: each transaction has one mined attempt, and the nonces of a wallet are those of its chain.
 * `foreign` are nonces, by `<chain> <key>`, that transactions of others used: of ours none is mined then.
 */
export async function noncesContiguous(
  db: Db,
  views: Views,
  foreign: ReadonlyMap<string, readonly number[]> = new Map(),
): Promise<{ readonly transactions: number; readonly attempts: number }> {
  const sent = await db.query<{
    id: string
    chain: NetworkId
    keyRef: string
    nonce: bigint
    state: string
    hashes: string[]
  }>(SENT)
  let attempts = 0
  for (const { id, chain, keyRef, nonce, state, hashes } of sent) {
    attempts += hashes.length
    const receipts = await Promise.all(hashes.map((hash) => views.get(chain)?.receipt(hash)))
    const mined = receipts.filter((receipt) => receipt != null)
    if (foreign.get(`${chain} ${keyRef}`)?.includes(Number(nonce))) {
      assert.deepEqual([mined.length, state], [0, 'displaced'], `transaction ${id} lost its nonce`)
      continue
    }
    assert.equal(
      mined.length,
      1,
      `transaction ${id} (${state}) has one mined attempt of ${hashes.length}`,
    )
    assert.equal(mined[0]?.succeeded, state !== 'reverted', `transaction ${id} is ${state}`)
  }
  const byWallet = Map.groupBy(sent, ({ chain, keyRef }) => `${chain} ${keyRef}`)
  type Wallet = { chain: NetworkId; keyRef: string; address: string; next: bigint; state: string }
  for (const { chain, keyRef, address, next, state } of await db.query<Wallet>(WALLETS)) {
    const name = `${chain} ${keyRef}`
    assert.equal(state, 'open', `wallet ${name}`)
    const own = (byWallet.get(name) ?? []).map(({ nonce }) => Number(nonce))
    assert.equal(new Set(own).size, own.length, `nonces of ${name} are given once`)
    const nonces = [...new Set([...own, ...(foreign.get(name) ?? [])])].sort((a, b) => a - b)
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

// ---------------------------------------------------------------- I6: cursors

const CURSORS = sql('soak_cursors', 'select chain, number, hash from chains.cursor')

/** I6. */
export async function cursorsCanonical(db: Db, views: Views): Promise<void> {
  type Cursor = { chain: NetworkId; number: bigint; hash: string }
  for (const { chain, number, hash } of await db.query<Cursor>(CURSORS)) {
    assert.equal(await views.get(chain)?.hashOf(number), hash, `the cursor of ${chain}`)
  }
}

// ---------------------------------------------------------------- I7: events

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

/** I7: each end has its event, once. */
export async function eventsOnce(db: Db): Promise<void> {
  assert.deepEqual(await db.query(FINAL_EVENTS), [], 'each withdrawal has the event of its end')
  assert.deepEqual(await db.query(DEPOSIT_EVENTS), [], 'each completed deposit has its event')
}
