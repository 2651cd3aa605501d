import type { Queryable } from '#infra/database/db'
import { type Cents, cents } from '#kernel/money'
import { type CursorPage, cursorPageOf } from '#kernel/page'
import { refuse } from '#kernel/refusal'
import { describe, type Entry, type EntryStatus, type EntryType } from './entry.ts'
import { type HistoryRow, journalAt, readHistory } from './store.ts'
import type { WalletKind } from './wallet.ts'

export interface HistoryFilter {
  readonly cursor: string | null
  readonly limit: number
  readonly type: EntryType | null
  readonly status: EntryStatus | null
  readonly from: Date | null
  readonly to: Date | null
}

/** Of a filter that few rows pass: so many rows are looked at for one page. */
const LOOKED_AT_FOR_A_PAGE = 10_000n

/**
 * A slice of a wallet's ledger, newest first. The cursor is the id of the last row of the slice before;
 * one that is no row of this wallet is VALIDATION_FAILED. A page of a filter may be short, or empty, and have
 * another behind it: then the cursor is the last row that was looked at.
 */
export async function history(
  db: Queryable,
  wallet: { ownerId: string; kind: WalletKind },
  filter: HistoryFilter,
  look = LOOKED_AT_FOR_A_PAGE,
): Promise<CursorPage<Entry>> {
  const { cursor, limit, type, status, from, to } = filter
  const found = await readHistory(db, {
    ...wallet,
    ...{ type, from, to, cursor },
    reversed: status === null ? null : status === 'reversed',
    limit: limit + 1,
    look: isNarrowed(filter) ? look : null,
  })
  if (found === null) return { items: [], nextCursor: null }
  const { accountId, cursorSeq, fromSeq, rows } = found
  if (cursor !== null && cursorSeq === null) return refuseCursor()
  const page = cursorPageOf(rows.map(entryOf), limit, (entry) => entry.id)
  if (page.nextCursor !== null || fromSeq === 1n) return page
  return { items: page.items, nextCursor: await journalAt(db, accountId, fromSeq) }
}

/** A filter that few rows pass makes the database walk through many. */
export const isNarrowed = ({ type, status, from, to }: HistoryFilter): boolean =>
  type !== null || status !== null || from !== null || to !== null

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
