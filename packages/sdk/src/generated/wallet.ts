// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { TransactionStatus, TransactionType } from './shared.ts'

/** The query of GET /user/wallet/ledger. */
export interface ListWalletLedgerQuery {
  /**
   * With a filter a page may be short or empty while `nextCursor` is not null: each looks at
   * 10,000 rows at most.
   */
  type?: TransactionType | undefined
  /**
   * With a filter a page may be short or empty while `nextCursor` is not null: each looks at
   * 10,000 rows at most.
   */
  status?: TransactionStatus | undefined
  from?: string | undefined
  to?: string | undefined
  /** The previous answer’s nextCursor. */
  cursor?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}
