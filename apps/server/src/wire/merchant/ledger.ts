// The merchant interface's view of a wallet's ledger.
import type {
  TransactionHistory as HistoryShape,
  TransactionItem as ItemShape,
} from '@tradepost/contract'
import type { CursorPage } from '#kernel/page'
import type { Entry } from '#ledger'
import { moneyNumber } from '../money.ts'

export const historyView = ({ items, nextCursor }: CursorPage<Entry>): HistoryShape => ({
  items: items.map(entryView),
  nextCursor,
})

const entryView = (entry: Entry): ItemShape => ({
  id: entry.id,
  type: entry.type,
  description: entry.description,
  status: entry.status,
  amount: moneyNumber(entry.amount),
  occurredAt: entry.occurredAt.toISOString(),
  externalRef: entry.externalRef,
})
