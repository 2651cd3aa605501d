// SQL of transactions that the books and the chain do not agree about at a block: those under way, and those
// that were booked and are above it.
import { type Queryable, sql } from '#infra/database/db'
import { type Address, baseUnits, type ChainName, type Hex } from '#kernel/chain'
import type { KeyRef } from '../ports.ts'
import type { Payment, Purpose, SigningForm, State } from '../transaction.ts'

export interface Unsettled extends Payment {
  readonly keyRef: KeyRef
  readonly purpose: Purpose
  readonly from: Address
  /** Final already, in a block above the one that is looked at; else its attempts are under way. */
  readonly booked: { readonly state: State; readonly feePaid: bigint } | null
  readonly attempts: readonly { readonly hash: Hex; readonly kind: SigningForm['kind'] }[]
}

const UNSETTLED = sql(
  'outbound.list_unsettled',
  `select t.key_ref "keyRef", t.purpose, t.token, t.token_address "tokenAddress", t.recipient, t.units, w.address "from",
     t.state, t.finished_at is not null "isFinished", coalesce(t.fee_paid, 0) "feePaid",
     (select json_agg(json_build_object('hash', a.hash, 'kind', a.kind) order by a.number desc)
      from outbound.attempt a where a.transaction_id = t.id) attempts
   from outbound.transaction t join outbound.wallet w on w.chain = t.chain and w.key_ref = t.key_ref
   where t.chain = $1 and (t.state in ('signed', 'broadcast') or (t.finished_at is not null and t.mined_block > $2))
   limit $3`,
)

/** At most `limit` of them. */
export async function listUnsettled(
  db: Queryable,
  chain: ChainName,
  { above, limit }: { readonly above: bigint; readonly limit: number },
): Promise<Unsettled[]> {
  const rows = await db.query<
    Omit<Unsettled, 'units' | 'booked' | 'attempts'> & {
      units: string
      state: State
      isFinished: boolean
      feePaid: string
      attempts: Unsettled['attempts'] | null
    }
  >(UNSETTLED, [chain, above, limit])
  return rows.map(({ units, state, isFinished, feePaid, attempts, ...rest }) => ({
    ...rest,
    units: baseUnits(BigInt(units)),
    booked: isFinished ? { state, feePaid: BigInt(feePaid) } : null,
    attempts: attempts ?? [],
  }))
}

const UNDER_WAY = sql(
  'outbound.is_under_way',
  `select from outbound.transaction where chain = $1 and state in ('signing', 'signed', 'broadcast')
     and (key_ref = $2 or lower(recipient) = any ($3::text[])) limit 1`,
)
/** Whether one with a nonce is not final yet, of the wallet or to one of the addresses (lower case). */
export const isUnderWay = async (
  db: Queryable,
  { chain, keyRef }: { readonly chain: ChainName; readonly keyRef: KeyRef },
  addresses: readonly Address[],
): Promise<boolean> => (await db.query(UNDER_WAY, [chain, keyRef, addresses])).length > 0
