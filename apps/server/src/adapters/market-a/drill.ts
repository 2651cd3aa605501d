// What market A answers, read by this adapter and compared with what it expects: for an operator with a real
// account. Nothing is bought here.
import type { Clock } from '#infra/process/clock'
import { asExpected, type Check, type CheckContext, differs, type Finding } from '#kernel/check'
import { formatMills } from '#kernel/money'
import type { Market } from '#ports/buying'
import type { Statements } from '#ports/reconciliation'
import { type Head, readHead, unknownOrder } from '../shared/drill.ts'
import { emptyGameBook } from '../shared/game-book.ts'
import type { Account } from './account.ts'
import type { KeyedCalls } from './calls.ts'
import { type ExportIndex, readExportFile, readExportIndex } from './export.ts'
import { searchByNames } from './search.ts'
import type { MarketASettings } from './settings.ts'

export interface DrillOptions {
  readonly settings: MarketASettings
  readonly calls: KeyedCalls
  readonly account: Account
  readonly market: Market
  readonly statements: Statements
  readonly clock: Clock
}

const DAY_MS = 86_400_000
/** A build that is older is an export that stands still. */
const EXPORT_STALE_MS = 3_600_000

export function createDrill(options: DrillOptions): () => readonly Check[] {
  const { settings, account, market, statements, clock } = options
  return () => [
    {
      name: 'get-money',
      async run(context) {
        const balance = await account.readBalance(context)
        if (!('mills' in balance)) return differs(balance.unavailable)
        const { mills, settlingMills } = balance
        const settling = settlingMills === null ? 'none named' : formatMills(settlingMills)
        return asExpected(`${formatMills(mills)} USD, settling ${settling}`)
      },
    },
    {
      name: 'export',
      run: ({ signal }) => readable(() => lookAtExport({ settings, clock, signal })),
    },
    {
      name: 'chance of a listing',
      run: (context) => readable(() => lookAtChance(options, context)),
    },
    {
      name: 'history of a day',
      async run(context) {
        const from = new Date(clock.now().getTime() - DAY_MS)
        const read = await statements.read(from, context)
        if (read.kind === 'unavailable') return differs(read.detail)
        const { lines, isWhole } = read
        if (!isWhole) return differs(`not every one of its lines can be read; ${lines.length} can`)
        return asExpected(`${lines.length} purchases`)
      },
    },
    unknownOrder(market),
  ]
}

interface Look {
  readonly settings: MarketASettings
  readonly clock: Clock
  readonly signal: AbortSignal
}

async function lookAtExport({ settings, clock, signal }: Look): Promise<Finding> {
  const index = await readExportIndex(settings.baseUrl, signal)
  const ageMs = clock.now().getTime() - index.madeAtMs
  if (ageMs > EXPORT_STALE_MS)
    return differs(`it was made ${Math.round(ageMs / 60_000)} minutes ago`)
  const { listings, unreadable, isOdd } = await headOf(settings, index, signal)
  if (listings.length === 0) return differs('its first file has no row that can be read')
  const counts = `${index.files.length} files; of the first rows ${listings.length} read, ${unreadable} not`
  return isOdd ? differs(counts) : asExpected(counts)
}

/** In the export and in the search: sellers are judged by both. */
async function lookAtChance(
  { settings, calls }: DrillOptions,
  context: CheckContext,
): Promise<Finding> {
  const index = await readExportIndex(settings.baseUrl, context.signal)
  if (!index.columns.has('chance_to_transfer')) return differs('the export has no column for it')
  const { listings } = await headOf(settings, index, context.signal)
  const named = listings.filter(({ chance }) => chance != null)
  const [first] = named
  if (first === undefined) return differs('no row of the export names it')
  const { lookUpPatienceMs: patienceMs, callDeadlineMs: deadlineMs } = settings
  const name = first.marketHashName
  const found = await searchByNames(calls, [name], {
    ...{ urgency: 'look-up', patienceMs, deadlineMs, context },
  })
  if (found === null) return differs('the search for a name is not answered')
  const listed = found.get(name) ?? []
  if (listed.length === 0) return differs('the search finds no listing of a name in the export')
  if (listed.every(({ chance }) => chance === null)) return differs('the search does not name it')
  return asExpected(`${named.length} of ${listings.length} rows name it, and so does the search`)
}

/** Of its first file; an export without files has no rows. */
async function headOf(
  { baseUrl }: MarketASettings,
  index: ExportIndex,
  signal: AbortSignal,
): Promise<Head> {
  const [file] = index.files
  if (file === undefined) return { listings: [], unreadable: 0, isOdd: false }
  return readHead(readExportFile(baseUrl, file, { index, book: emptyGameBook, signal }))
}

/** Files throw a sentence where they cannot be read. */
const readable = (look: () => Promise<Finding>): Promise<Finding> =>
  look().catch((error: Error) => differs(error.message))
