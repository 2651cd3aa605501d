// What a chain itself says, against the books: what arrived is recorded once, what was confirmed was paid
// once and what was refunded never, and each end has its event.
import assert from 'node:assert/strict'
import { type Db, sql } from '../../../apps/server/src/infra/database/db.ts'
import { type Canonical, readCanonical } from '../../support/chains/canonical.ts'
import { cursorsCanonical } from '../../support/chains/invariants.ts'

export const CHAIN = 'base'

const ADDRESSES = sql('attack_addresses', 'select lookup from chains.address')
// Small amounts wait as dust for more, and are credited together then.
const RECORDED = sql(
  'attack_recorded',
  `select chain, tx_hash "txHash", token, recipient, units::text from chains.transfer
   where state in ('credited', 'dust')`,
)
const WITHDRAWALS = sql(
  'attack_withdrawals',
  `select external_id "externalId", status, lower(destination) destination, token, units::text from payouts.withdrawal`,
)
interface Withdrawal {
  readonly externalId: string
  readonly status: string
  readonly destination: string
  readonly token: string
  readonly units: string
}
const WITHOUT_EVENT = sql(
  'attack_without_event',
  `select w.id, w.status, array_agg(e.type) types from payouts.withdrawal w
   left join outbox.event e on e.subject_id = w.id
     and e.type in ('payout.crypto.withdraw.confirmed', 'payout.crypto.withdraw.refunded')
   where w.source = 'custody'
   group by 1, 2 having array_agg(e.type) <> array['payout.crypto.withdraw.' || w.status]
   union all
   select d.id, d.status::text, array_agg(e.type) from deposits.deposit d
   left join outbox.event e on e.subject_id = d.id and e.type = 'deposit.completed'
   group by 1, 2 having count(e.id) <> case d.status when 'completed' then 1 else 0 end`,
)

/** `url` is that of a node without faults. Only withdrawals may have paid to their destinations. */
export async function chainAgrees(db: Db, url: string): Promise<void> {
  const canonical = await readCanonical(url, CHAIN)
  await recordedOnce(db, canonical)
  await cursorsCanonical(db, new Map([[CHAIN, canonical] as const]))
  const arrived = Map.groupBy(canonical.movements, ({ to }) => to)
  const withdrawals = await db.query<Withdrawal>(WITHDRAWALS)
  for (const [destination, all] of Map.groupBy(withdrawals, (one) => one.destination)) {
    const paid = (arrived.get(destination) ?? []).map((one) => `${one.token} ${one.units}`)
    const confirmed = all.filter(({ status }) => status === 'confirmed')
    const wanted = confirmed.map(({ token, units }) => `${token} ${units}`)
    const names = all.map(({ externalId, status }) => `${externalId} (${status})`).join(', ')
    assert.deepEqual(paid.sort(), wanted.sort(), `what ${names} paid`)
  }
  assert.deepEqual(await db.query(WITHOUT_EVENT), [], 'ends without their one event')
}

async function recordedOnce(db: Db, { movements }: Canonical): Promise<void> {
  const addresses = await db.query<{ lookup: string }>(ADDRESSES)
  const ours = new Set(addresses.map(({ lookup }) => lookup))
  const arrived = movements
    .filter(({ from, to }) => ours.has(to) && !ours.has(from))
    .map(({ chain, txHash, token, to, units }) => [chain, txHash, token, to, units].join(' '))
  type Row = Readonly<Record<'chain' | 'txHash' | 'token' | 'recipient' | 'units', string>>
  const recorded = (await db.query<Row>(RECORDED)).map(
    ({ chain, txHash, token, recipient, units }) =>
      [chain, txHash, token, recipient, units].join(' '),
  )
  assert.deepEqual(recorded.sort(), arrived.sort(), 'recorded is what the chain holds')
}
