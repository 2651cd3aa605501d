// A batch of withdrawals as people keep it: CSV with a line of names first. It is read here, line by line,
// so that each line says what is wrong with it before anything is sent.
import type { CreateWithdrawalBody } from '@tradepost/contract'
import { hundredthsOf } from '../../kit/hundredths.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** What can be wrong, in the language of the page. */
type Problems = Texts['money']['batch']['problems']

/** A record of the file, and where it begins, from 1. */
export interface BatchLine {
  readonly line: number
  readonly withdrawal: CreateWithdrawalBody
  /** Null: as far as can be seen here it is right. */
  readonly problem: string | null
}

const COLUMNS = ['externalId', 'chain', 'token', 'destination', 'amount'] as const
const TOKENS: readonly string[] = ['USDT', 'USDC', 'NATIVE']
const MAX_TEXT = 128
const MAX_LINES = 500

/** The lines, or what is wrong with the file as a whole. */
export function readBatch(text: string, words: Problems): readonly BatchLine[] | string {
  const records = recordsOf(text.replace(/^\uFEFF/, ''))
  if (records === null) return words.quotation
  const [head, ...rows] = records
  const names = head?.cells.map((name) => name.trim()) ?? []
  const missing = COLUMNS.filter((name) => !names.includes(name))
  if (missing.length > 0) return words.columns(missing.join(', '))
  if (rows.length === 0) return words.empty
  if (rows.length > MAX_LINES) return words.tooMany
  const seen = new Set<string>()
  return rows.map(({ line, cells }) => {
    const cell = (name: string): string => cells[names.indexOf(name)]?.trim() ?? ''
    const forUser = cell('forUser')
    const withdrawal = {
      externalId: cell('externalId'),
      chain: cell('chain'),
      token: cell('token') as CreateWithdrawalBody['token'],
      destination: cell('destination'),
      amountCents: hundredthsOf(cell('amount')),
      ...(forUser !== '' && { forUser }),
    }
    const isRepeated = seen.has(withdrawal.externalId)
    seen.add(withdrawal.externalId)
    return { line, withdrawal, problem: isRepeated ? words.repeated : problemOf(withdrawal, words) }
  })
}

function problemOf(withdrawal: CreateWithdrawalBody, words: Problems): string | null {
  const { externalId, token, destination, amountCents } = withdrawal
  const isText = (value: string): boolean => value !== '' && [...value].length <= MAX_TEXT
  if (!isText(externalId)) return words.externalId
  if (!TOKENS.includes(token)) return words.token
  if (!isText(destination)) return words.destination
  return Number.isSafeInteger(amountCents) && amountCents > 0 ? null : words.amount
}

interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
}

const CELL = /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r?\n|$)/y

/** The cells of each record (RFC 4180) but the empty ones; null where a quotation mark is misplaced. */
function recordsOf(text: string): readonly CsvRecord[] | null {
  const records: CsvRecord[] = []
  let cells: string[] = []
  let line = 1
  let begins = 1
  CELL.lastIndex = 0
  while (CELL.lastIndex < text.length) {
    const [found, quoted, plain = '', end] = CELL.exec(text) ?? []
    if (found === undefined) return null
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    line += found.split('\n').length - 1
    if (end === ',' && CELL.lastIndex < text.length) continue
    if (cells.some((cell) => cell.trim() !== '')) records.push({ line: begins, cells })
    cells = []
    begins = line
  }
  return records
}
