import type { Listing } from '../../dataset/types.ts'
import { millsToDecimal } from '../../kernel/mills.ts'
import { yieldTurn } from '../../kernel/turn.ts'
import { createPrepared } from '../prepared.ts'
import type { MarketADeps } from './deps.ts'
import { chanceToTransfer, floatText, stickerIds } from './listing-view.ts'

const FORMAT = [
  'price',
  'id',
  'market_hash_name',
  'classid',
  'instanceid',
  'real_instance',
  'asset',
  'old_price',
  'stamp',
  'base_id',
  'float',
  'phase',
  'paintseed',
  'paintindex',
  'stickers',
  'type',
  'chance_to_transfer',
] as const

/** The real export has from 9 files up; of half a million listings, 130. */
const LEAST_FILES = 9
const MOST_FILES = 130
/** Rows turned into JSON in one go: some milliseconds, far from the 100 that would be felt. */
const ROWS_PER_FILE = 2_500
const LISTINGS_PER_TURN = 5_000

interface FullExport {
  readonly timeSeconds: number
  readonly files: ReadonlyMap<string, Buffer>
}

/** The keyless bulk answers. */
export interface MarketAExports {
  prices(): Promise<Buffer>
  dictionary(): Promise<Buffer>
  fullExport(): Promise<Record<string, unknown>>
  file(name: string): Buffer | undefined
}

export function createMarketAExports(
  deps: MarketADeps,
  nameIds: ReadonlyMap<string, number>,
): MarketAExports {
  const { clock, settings } = deps
  const keepsBefore = settings.oldExportFiles === 'kept'
  let built: FullExport | null = null
  let before: FullExport | null = null
  let builds = 0

  const fullExport = createPrepared({
    clock,
    maxAgeMs: settings.exportMaxAgeMs,
    build: async () => {
      builds += 1
      const fresh = await buildFullExport(deps, nameIds, builds)
      before = keepsBefore ? built : null
      built = fresh
      return fresh
    },
  })
  const prices = createPrepared({
    clock,
    maxAgeMs: settings.pricesMaxAgeMs,
    build: () => buildPrices(deps),
  })
  const dictionary = createPrepared({
    clock,
    maxAgeMs: Number.POSITIVE_INFINITY,
    build: () => buildDictionary(nameIds),
  })

  return {
    prices: () => prices.get(),
    dictionary: () => dictionary.get(),
    async fullExport() {
      const { timeSeconds, files } = await (keepsBefore ? fullExport.latest() : fullExport.get())
      return {
        success: true,
        time: timeSeconds,
        currency: 'USD',
        format: FORMAT,
        items: [...files.keys()],
      }
    },
    file: (name) => built?.files.get(name) ?? before?.files.get(name),
  }
}

async function buildFullExport(
  { keeper, clock }: MarketADeps,
  nameIds: ReadonlyMap<string, number>,
  build: number,
): Promise<FullExport> {
  const listings = [...keeper.dataset.listings('market_a')]
  const rowsPerFile = Math.max(
    Math.ceil(listings.length / MOST_FILES),
    Math.min(ROWS_PER_FILE, Math.max(1, Math.ceil(listings.length / LEAST_FILES))),
  )
  const timeSeconds = Math.floor(clock.nowMs() / 1000)
  const files = new Map<string, Buffer>()
  for (let start = 0; start < listings.length; start += rowsPerFile) {
    const rows = listings
      .slice(start, start + rowsPerFile)
      .map((listing) => exportRow(listing, nameIds))
    // Every build has names of its own, so a reader of the old list finds nothing.
    const name = `${timeSeconds}${build % 10}${String(files.size).padStart(3, '0')}.json`
    files.set(name, Buffer.from(JSON.stringify(rows)))
    await yieldTurn()
  }
  return { timeSeconds, files }
}

function exportRow(listing: Listing, nameIds: ReadonlyMap<string, number>): unknown[] {
  const { asset } = listing
  return [
    listing.priceMills,
    Number(listing.id),
    asset.item.marketHashName,
    Number(asset.classId),
    Number(asset.instanceId),
    Number(asset.instanceId),
    Number(listing.assetId),
    asset.item.referencePriceMills,
    new Date(listing.listedAtMs).toISOString().slice(0, 19).replace('T', ' '),
    nameIds.get(asset.item.marketHashName) ?? 0,
    floatText(asset.wear),
    asset.item.phase ?? '',
    asset.paintSeed === null ? '' : String(asset.paintSeed),
    asset.item.paintIndex === null ? '' : String(asset.item.paintIndex),
    stickerIds(listing),
    listing.auto ? 'bot' : 'p2p',
    chanceToTransfer(listing),
  ]
}

/** Every name that is traded: at its cheapest offer, else at what it last cost. */
async function buildPrices({ keeper, clock }: MarketADeps): Promise<Buffer> {
  const offers = new Map<string, number>()
  let seen = 0
  for (const { asset, priceMills } of [...keeper.dataset.listings('market_a')]) {
    const name = asset.item.marketHashName
    offers.set(name, Math.min(offers.get(name) ?? priceMills, priceMills))
    seen += 1
    if (seen % LISTINGS_PER_TURN === 0) await yieldTurn()
  }
  const rows = new Map<string, Record<string, unknown>>()
  for (const { marketHashName: name, referencePriceMills, volume } of keeper.dataset.catalogue) {
    if (rows.has(name)) continue
    const price = millsToDecimal(offers.get(name) ?? referencePriceMills)
    rows.set(name, { market_hash_name: name, volume: String(volume), price })
  }
  const head = { success: true, time: Math.floor(clock.nowMs() / 1000), currency: 'USD' }
  return joinRows(head, [...rows.values()])
}

function buildDictionary(nameIds: ReadonlyMap<string, number>): Promise<Buffer> {
  const rows = [...nameIds].map(([name, id]) => ({ id, hash_name: name }))
  return joinRows({ success: true }, rows)
}

/** `{...head, "items": [...]}` as bytes, made in slices. */
async function joinRows(
  head: Record<string, unknown>,
  rows: readonly Record<string, unknown>[],
): Promise<Buffer> {
  const parts: string[] = []
  for (let start = 0; start < rows.length; start += LISTINGS_PER_TURN) {
    const slice = JSON.stringify(rows.slice(start, start + LISTINGS_PER_TURN))
    parts.push(slice.slice(1, -1))
    await yieldTurn()
  }
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[${parts.join(',')}]}`)
}
