// A handler that writes down what it is asked to do, in the transaction that asks: a rolled back one leaves
// nothing, and doing the same to one transfer twice violates a constraint.
import { type Db, sql, type Tx } from '../../apps/server/src/infra/database/db.ts'
import type {
  TransferHandler,
  TransferHandlers,
} from '../../apps/server/src/modules/crypto/chains/transfer-handler.ts'

export interface Entry {
  readonly transferId: string
  readonly what: string
  readonly units: bigint | null
  readonly cents: bigint | null
  readonly token: string | null
}

const CREATE = `
  create schema journal;
  create table journal.entry (
    id bigint generated always as identity, transfer_id uuid not null, what text not null, units numeric, cents bigint,
    token text, owner uuid);
  create unique index entry_once on journal.entry (transfer_id, what) where what <> 'orphan';`

const ADD = sql(
  'journal.add',
  `insert into journal.entry (transfer_id, what, units, cents, token, owner) values ($1, $2, $3, $4, $5, $6)`,
)
const LIST = sql(
  'journal.list',
  `select e.transfer_id "transferId", e.what, e.units, e.cents, e.token from journal.entry e
   where e.transfer_id in (select transfer_id from journal.entry where owner = $1) order by e.id`,
)

export interface Journal {
  readonly handlers: TransferHandlers
  /** Of one owner, in their order. */
  entriesOf(ownerId: string): Promise<Entry[]>
}

export async function openJournal(db: Db): Promise<Journal> {
  await db.script(CREATE)
  return {
    handlers: { deposit: handlerOf(true), payout_custody: handlerOf(false) },
    entriesOf: async (ownerId) => {
      const rows = await db.query<{ units: string | null } & Omit<Entry, 'units'>>(LIST, [ownerId])
      return rows.map((row) => ({ ...row, units: row.units === null ? null : BigInt(row.units) }))
    },
  }
}

const add = async (tx: Tx, transferId: string, what: string, more: readonly unknown[] = []) => {
  await tx.query(ADD, [transferId, what, more[0], more[1], more[2], more[3]])
}

const handlerOf = (isValued: boolean): TransferHandler => ({
  isValued,
  holderOf: async (_tx, { ownerId }) => ({ role: 'merchant', ownerId }),
  record: (tx, { transferId, units, token, ownerId }) =>
    add(tx, transferId, 'record', [units, null, token, ownerId]),
  noteConfirmations: async () => {},
  blockReplaced: (tx, transferId) => add(tx, transferId, 'orphan'),
  credit: async (tx, { transferId, units, value, token, ownerId }) => {
    await add(tx, transferId, 'credit', [units, value, token, ownerId])
    return null
  },
  fail: (tx, transferId, reason) => add(tx, transferId, `fail ${reason}`),
  reverse: (tx, transferId) => add(tx, transferId, 'reverse'),
})
