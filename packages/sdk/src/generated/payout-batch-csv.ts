// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
// A batch of withdrawals as people keep it: CSV with a line of names first. The service takes JSON alone;
// the dashboard, the SDK and the command line read such a file here. It imports nothing, because the SDK
// contains a copy.

/** A record of the file. An empty text stands for a cell that is not there. */
export interface PayoutBatchRow {
  /** Where the record begins in the file, from 1. */
  readonly line: number
  readonly externalId: string
  readonly chain: string
  readonly token: string
  readonly destination: string
  /** NaN where the cell is not US dollars such as 25 or 25.50. */
  readonly amountCents: number
  readonly forUser: string
}

export type PayoutBatchProblem =
  | { readonly problem: 'quotation'; readonly line: number }
  | { readonly problem: 'columns'; readonly missing: readonly string[] }

const COLUMNS = ['externalId', 'chain', 'token', 'destination', 'amount'] as const

/** The records of the file, or what is wrong with the file as a whole. No record is judged. */
export function readPayoutBatchCsv(text: string): readonly PayoutBatchRow[] | PayoutBatchProblem {
  const records = recordsOf(text.replace(/^\uFEFF/, ''))
  if (!Array.isArray(records)) return records
  const [head, ...rows] = records
  const names = head?.cells.map((name) => name.trim()) ?? []
  const missing = COLUMNS.filter((name) => !names.includes(name))
  if (missing.length > 0) return { problem: 'columns', missing }
  return rows.map(({ line, cells }) => {
    const cell = (name: string): string => cells[names.indexOf(name)]?.trim() ?? ''
    return {
      ...{ line, externalId: cell('externalId'), chain: cell('chain'), token: cell('token') },
      ...{ destination: cell('destination'), amountCents: centsOf(cell('amount')) },
      forUser: cell('forUser'),
    }
  })
}

function centsOf(text: string): number {
  const [, dollars, cents = ''] = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  return dollars === undefined ? Number.NaN : Number(dollars + cents.padEnd(2, '0'))
}

interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
}

const CELL = /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n|\r|\n|$)/y

/** The cells of each record (RFC 4180) but the empty ones. */
function recordsOf(text: string): CsvRecord[] | PayoutBatchProblem {
  const records: CsvRecord[] = []
  let cells: string[] = []
  let line = 1
  let begins = 1
  CELL.lastIndex = 0
  while (CELL.lastIndex < text.length) {
    const [found, quoted, plain = '', end] = CELL.exec(text) ?? []
    if (found === undefined) return { problem: 'quotation', line }
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    line += found.split(/\r\n|\r|\n/).length - 1
    if (end === ',' && CELL.lastIndex < text.length) continue
    if (cells.some((cell) => cell.trim() !== '')) records.push({ line: begins, cells })
    cells = []
    begins = line
  }
  return records
}
