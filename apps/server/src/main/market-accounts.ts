// Our accounts at the markets, as this process can call with them: `main` of each from the settings until its
// key is rotated, the others from the database. What an operator adds or rotates is followed within seconds.
import {
  type AccountKey,
  type AccountRef,
  hashKey,
  keyContext,
  listKeys,
  MAIN,
  noteKeyOfMain,
} from '#buying'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import { startPollLoop } from '#infra/jobs/poll-loop'
import { CannotStart } from '#infra/process/cannot-start'
import type { Log } from '#infra/process/log'
import type { SecretBox } from '#infra/process/secrets'
import { assertDefined } from '#kernel/assert'
import type { MarketId } from '#kernel/market-id'
import { definitionOf, type Supplier } from '../adapters/markets.ts'
import type { Adapters } from './adapters.ts'

/** The jobs of a worker. */
export interface ComposedJobs {
  readonly jobs: readonly Job[]
  /** Of these, and of those that every market has. */
  readonly names: readonly string[]
  /** Of one of our accounts at a market. */
  jobsOf(account: Supplier): readonly Job[]
  /** Of a market, with the account that feeds it. */
  feedJobsOf(feeder: Supplier): readonly Job[]
}

export interface MarketAccounts {
  /** Reads what there is now. */
  refresh(): Promise<void>
  all(): readonly Supplier[]
  /** All of a market's, `main` first. */
  at(market: MarketId): readonly Supplier[]
  /** Null: not known, or without a key. */
  find(of: AccountRef): Supplier | null
  /** The account with which a market's health and listings are read. */
  feeder(market: MarketId): Supplier
}

export interface MarketAccountsDeps {
  readonly db: Db
  readonly log: Log
  readonly secrets: SecretBox
  readonly adapters: Pick<Adapters, 'markets' | 'openAccount'>
}

/** How it was opened. */
interface Opened {
  readonly supplier: Supplier
  readonly row: Pick<AccountKey, 'keyVersion' | 'pace'>
}

export function createMarketAccounts({
  db,
  log,
  secrets,
  adapters,
}: MarketAccountsDeps): MarketAccounts {
  const ids = adapters.markets.map(({ market }) => market.id)
  let opened: readonly Opened[] = adapters.markets.map((supplier) => ({
    supplier,
    row: { keyVersion: supplier.market.keyVersion, pace: null },
  }))
  let rows: readonly AccountKey[] = []
  let running: Promise<void> | null = null

  const unreadable = new Set<string>()
  /** Null for a key that SECRETS_KEY does not open: the other accounts are used all the same. */
  const openKey = (sealedKey: string, of: AccountRef): string | null => {
    try {
      return secrets.open(sealedKey, keyContext(of))
    } catch (error) {
      const { market, account } = of
      const fields = { event: 'market_account_unreadable', market, account, err: error }
      if (!unreadable.has(sealedKey)) log.error(fields, 'the key of an account cannot be opened')
      unreadable.add(sealedKey)
      return null
    }
  }

  const openRow = (row: AccountKey): Supplier | null => {
    const { market, account, keyVersion, pace, sealedKey } = row
    const isMain = account === MAIN
    // A main account without a key of its own has the one in the settings.
    if (sealedKey === null && !isMain) return null
    const apiKey = sealedKey === null ? null : openKey(sealedKey, row)
    if (sealedKey !== null && apiKey === null) return null
    const supplier = adapters.openAccount({ market, account, keyVersion, pace, apiKey })
    const fields = { event: 'market_account_opened', market, account, keyVersion, pace }
    log.info(fields, 'an account at a market is used')
    return supplier
  }

  const refresh = async (): Promise<void> => {
    const found = await listKeys(db)
    const mains = ids.map((market): Opened => {
      const known = findOpened({ market, account: MAIN })
      return assertDefined(known, `our account ${MAIN} at ${market}`)
    })
    const now = new Map(mains.map((one) => [nameOf(one.supplier.market), one]))
    for (const row of found) {
      if (!ids.includes(row.market)) continue
      const known = findOpened(row)
      const isKnown = known?.row.keyVersion === row.keyVersion && known.row.pace === row.pace
      const supplier = isKnown ? known.supplier : openRow(row)
      // Of a `main` whose new key cannot be opened the one before stays: with it no order is begun.
      if (supplier !== null)
        now.set(nameOf({ id: row.market, account: row.account }), { supplier, row })
    }
    opened = [...now.values()]
    rows = found
  }

  const findOpened = (of: AccountRef): Opened | undefined =>
    opened.find(({ supplier }) => isOf(supplier.market, of))
  const rowOf = ({ market: { id, account } }: Supplier): AccountKey | undefined =>
    rows.find((row) => row.market === id && row.account === account)
  const at: MarketAccounts['at'] = (market) =>
    opened.flatMap(({ supplier }) => (supplier.market.id === market ? [supplier] : []))

  return {
    // One at a time: two would open an account twice, with two paces each.
    refresh: () => {
      running ??= refresh().finally(() => {
        running = null
      })
      return running
    },
    all: () => opened.map(({ supplier }) => supplier),
    at,
    find: (of) => findOpened(of)?.supplier ?? null,
    feeder: (market) => {
      const ranked = at(market).map((supplier) => ({ supplier, rank: feedRank(rowOf(supplier)) }))
      ranked.sort((one, other) => one.rank - other.rank)
      return assertDefined(ranked[0], `an account at ${market}`).supplier
    },
  }
}

/**
 * Less is better, and of equals `main` comes first. One for the feed is meant; another one that its market
 * serves will do, before listings go stale; a refused key feeds nothing.
 */
function feedRank(row: AccountKey | undefined): number {
  if (row === undefined) return 0
  if (row.closedBecause === 'forbidden') return 4
  if (row.state === 'enabled') return row.use === 'buying' ? 1 : 0
  return row.state === 'draining' ? 2 : 3
}

const isOf = (market: Supplier['market'], of: AccountRef): boolean =>
  market.id === of.market && market.account === of.account

const nameOf = ({ id, account }: Pick<Supplier['market'], 'id' | 'account'>): string =>
  `${id} ${account}`

/**
 * Which key `main` has at each market is said by the first start, and from then on by a rotation: a setting
 * that names another key stops the start, before orders are looked for with a key that does not know them.
 * A key that `main` had before may stay in the settings, and is not used.
 */
export async function settleKeysOfMain({
  db,
  log,
  secrets,
  settings,
}: Pick<MarketAccountsDeps, 'db' | 'log' | 'secrets'> & {
  readonly settings: Readonly<Record<MarketId, string>>
}): Promise<void> {
  const rows = await listKeys(db)
  for (const [market, key] of Object.entries(settings)) {
    const of = { market, account: MAIN }
    const hash = hashKey(of, key)
    const row = rows.find((one) => one.market === market && one.account === MAIN)
    const { sealedKey = null, keyHashes = [] } = row ?? {}
    const variable = definitionOf(market).variables.key
    if (sealedKey === null && keyHashes.length === 0) {
      await noteKeyOfMain(db, market, hash)
      continue
    }
    if (!keyHashes.includes(hash)) {
      throw new CannotStart(
        `${variable} is not a key of the account main at ${market}: give it with \`npm run ops -- market:account rotate ${market} main\`, so that no open order is lost sight of.`,
      )
    }
    if (sealedKey === null) continue
    if (readSealed(secrets, sealedKey, of) !== key) {
      const fields = { event: 'market_key_not_used', market, setting: variable }
      log.warn(fields, 'the key in the settings is not used: it was rotated')
    }
  }
}

function readSealed(secrets: SecretBox, sealedKey: string, of: AccountRef): string {
  try {
    return secrets.open(sealedKey, keyContext(of))
  } catch {
    throw new CannotStart(
      `SECRETS_KEY does not open the key of the account main at ${of.market}: it must be the one with which the key was rotated.`,
    )
  }
}

const REFRESH_MS = 2000

/** Keeps them current until it is stopped; `onRefreshed` after each time. */
export const keepMarketAccounts = (
  accounts: MarketAccounts,
  { log, onRefreshed = async () => {} }: { log: Log; onRefreshed?: () => Promise<void> },
): { stop(): Promise<void> } =>
  startPollLoop({
    pollMs: REFRESH_MS,
    restMs: 0,
    run: async () => {
      await accounts.refresh()
      await onRefreshed()
    },
    onError: (error) => log.error({ err: error }, 'our accounts at the markets could not be read'),
  })
