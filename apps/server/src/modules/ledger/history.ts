import type { Queryable } from '#infra/db'
import { type Cents, cents } from '#kernel/money'
import { type CursorPage, cursorPageOf } from '#kernel/page'
import { refuse } from '#kernel/refusal'
import { describe, type Entry, type EntryStatus, type EntryType } from './entry.ts'
import { type HistoryRow, locate, readHistory } from './store.ts'
import type { WalletKind } from './wallet.ts'

export interface HistoryFilter {
  readonly cursor: string | null
  readonly limit: number
  readonly type: EntryType | null
  readonly status: EntryStatus | null
  readonly from: Date | null
  readonly to: Date | null
}

/**
 * A slice of a wallet's ledger, newest first. The cursor is the id of the last row of the slice before;
 * one that is no row of this wallet is VALIDATION_FAILED.
 */
export async function history(
  db: Queryable,
  wallet: { ownerId: string; kind: WalletKind },
  filter: HistoryFilter,
): Promise<CursorPage<Entry>> {
  const place = await locate(db, wallet, filter.cursor)
  if (place === null) return { items: [], nextCursor: null }
  if (filter.cursor !== null && place.seq === null) return refuseCursor()
  const { type, status } = filter
  const rows = await readHistory(db, {
    accountId: place.accountId,
    beforeSeq: place.seq ?? LAST_SEQ,
    limit: filter.limit + 1,
    type,
    reversed: status === null ? null : status === 'reversed',
    from: filter.from,
    to: filter.to,
  })
  return cursorPageOf(rows.map(entryOf), filter.limit, (entry) => entry.id)
}

const LAST_SEQ = 9_223_372_036_854_775_807n

function entryOf(row: HistoryRow): Entry {
  return {
    id: row.journal_id,
    type: row.type,
    description: describe(row.type, row.isReversal),
    status: row.reversed ? 'reversed' : 'posted',
    amount: signed(row),
    occurredAt: row.created_at,
    externalRef: row.external_ref,
  }
}

const signed = ({ side, amount }: HistoryRow): Cents => cents(side === 'debit' ? -amount : amount)

const refuseCursor = (): never =>
  refuse('VALIDATION_FAILED', {
    errors: [
      { in: 'query', pointer: '/cursor', rule: 'known', message: 'is no row of this ledger' },
    ],
  })
