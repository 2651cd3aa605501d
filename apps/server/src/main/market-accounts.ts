// Our accounts at the markets, as this process can call with them: `main` of each from the settings, the
// others from the database. What an operator adds or rotates is followed within seconds.
import { type AccountRef, keyContext, listAdded, MAIN } from '#buying'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import { startPollLoop } from '#infra/jobs/poll-loop'
import type { Log } from '#infra/process/log'
import type { SecretBox } from '#infra/process/secrets'
import type { MarketId } from '#kernel/market-id'
import type { Supplier } from '../adapters/markets.ts'
import type { Adapters } from './adapters.ts'

/** The jobs of a worker. */
export interface ComposedJobs {
  readonly jobs: readonly Job[]
  /** Of an account at a market that was added. */
  jobsOf(added: Supplier): readonly Job[]
}

export interface MarketAccounts {
  /** Reads what there is now. */
  refresh(): Promise<void>
  /** Those that were added, at all markets. */
  added(): readonly Supplier[]
  /** All of a market's, `main` first. */
  at(market: MarketId): readonly Supplier[]
  /** Null: not known, or without a key. */
  find(of: AccountRef): Supplier | null
}

export interface MarketAccountsDeps {
  readonly db: Db
  readonly log: Log
  readonly secrets: SecretBox
  readonly adapters: Pick<Adapters, 'markets' | 'openAccount'>
}

export function createMarketAccounts({
  db,
  log,
  secrets,
  adapters,
}: MarketAccountsDeps): MarketAccounts {
  let opened: readonly Supplier[] = []
  let running: Promise<void> | null = null

  const unreadable = new Set<string>()
  /** Null for a key that SECRETS_KEY does not open: the other accounts are used all the same. */
  const openKey = (sealedKey: string, of: AccountRef): string | null => {
    try {
      return secrets.open(sealedKey, keyContext(of))
    } catch (error) {
      const { market, account } = of
      const facts = { event: 'market_account_unreadable', market, account, err: error }
      if (!unreadable.has(sealedKey)) log.error(facts, 'the key of an account cannot be opened')
      unreadable.add(sealedKey)
      return null
    }
  }

  const refresh = async (): Promise<void> => {
    const found = await listAdded(db)
    const now: Supplier[] = []
    for (const { sealedKey, ...one } of found) {
      const known = opened.find(
        ({ market }) => isOf(market, one) && market.keyVersion === one.keyVersion,
      )
      if (known !== undefined) now.push(known)
      else if (sealedKey !== null) {
        const apiKey = openKey(sealedKey, one)
        if (apiKey === null) continue
        now.push(adapters.openAccount({ ...one, apiKey }))
        log.info({ event: 'market_account_opened', ...one }, 'an account at a market is used')
      }
    }
    opened = now
  }

  return {
    // One at a time: two would open an account twice, with two paces each.
    refresh: () => {
      running ??= refresh().finally(() => {
        running = null
      })
      return running
    },
    added: () => opened,
    at: (market) => [...adapters.markets, ...opened].filter((one) => one.market.id === market),
    find: (of) => [...adapters.markets, ...opened].find(({ market }) => isOf(market, of)) ?? null,
  }
}

const isOf = (market: Supplier['market'], of: AccountRef): boolean =>
  market.id === of.market && market.account === of.account

export const isAdded = ({ market }: Supplier): boolean => market.account !== MAIN

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
