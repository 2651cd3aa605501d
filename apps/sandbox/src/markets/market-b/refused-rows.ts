import type { Store } from '../../store/store.ts'

/** A purchase that the market refused and lists all the same. */
export interface RefusedRow {
  readonly id: number
  readonly account: string
  readonly customId: string
  readonly name: string
  readonly platformId: string
  readonly priceMills: number
  readonly atMs: number
}

export interface RefusedRows {
  add(row: Omit<RefusedRow, 'id'>): void
  under(account: string, customId: string): readonly RefusedRow[]
}

/** Below the numbers of real trades, so that no id is ever both. */
const FIRST_REFUSED_ID = 20_000_000

/** Only scripts make these rows, so they are few and may be stored as one list. */
export function createRefusedRows(store: Store): RefusedRows {
  const rows = JSON.parse(store.readSetting('refused_rows') ?? '[]') as RefusedRow[]
  return {
    add(row) {
      rows.push({ ...row, id: FIRST_REFUSED_ID + rows.length })
      store.writeSetting('refused_rows', JSON.stringify(rows))
    },
    under: (account, customId) =>
      rows.filter((row) => row.account === account && row.customId === customId),
  }
}
