// What the commands need of the process that they run in. What a method gives is opened when it is called: a
// command that touches no secret runs without their key, and one that compares no chain opens no node.
import type { AccountRef, Market } from '#buying'
import type { AccountReading, ImportRules, ItemSource, PriceList } from '#catalog'
import type { ReconcileDeps } from '#chains'
import type { CloseBusiness, FindOpenBusiness } from '#identity'
import type { Db, Tx } from '#infra/database/db'
import type { SecretBox } from '#infra/process/secrets'
import type { Address } from '#kernel/chain'
import type { MarketId } from '#kernel/market-id'
import type { ResendDeps } from '#webhooks'

export interface Tools {
  readonly db: Db
  /** Which kind of key is issued. */
  readonly keyEnvironment: 'live' | 'test'
  /** Host that trade URLs name. */
  readonly communityHost: string
  /** What keeps an account from being deleted. */
  readonly openBusiness: readonly FindOpenBusiness[]
  /** What ends with an account. */
  readonly closeBusiness: readonly CloseBusiness[]
  /** An endpoint may be at a private address. */
  readonly allowPrivate: boolean
  /** Null: deposits are swept to the hot wallet. */
  readonly treasury: Address | null
  /** The origin of the links in answers. */
  publicUrl(): string
  /** Refuses to start without a key, and makes none. */
  openSecrets(): SecretBox
  /** As if it had never been seen; false: it never was. */
  forgetBot(tx: Tx, platformId: string): Promise<boolean>
  /** Of an address, or a file or folder of this machine; null: of the settings. */
  openCatalogSource(from: string | null): CatalogSource
  /** The keyless lists of the markets. */
  openPriceLists(): readonly PriceList[]
  /** The kinds of calls to the game platform, and what of them rests after a refusal. */
  readPlatformKinds(): Promise<readonly PlatformKind[]>
  /** What posts a delivery, closed when the act is done. */
  withSender<Result>(act: (sender: Sender) => Promise<Result>): Promise<Result>
  /** In what the pace of an account there is said. */
  paceOf(market: MarketId): Pace
  /** In the settings, of our account `main` at a market. */
  mainKey(market: MarketId): string
  /** A market, called with a key that is no account's yet. */
  withMarketKey<Result>(
    key: AccountRef & { readonly key: string },
    act: (market: AskedMarket) => Promise<Result>,
  ): Promise<Result>
  /** The chains that are switched on, closed when the act is done. */
  withChains<Result>(act: (chains: readonly Chain[]) => Promise<Result>): Promise<Result>
}

/** Where the list of items is read, and whether prices are read apart from it. */
export interface CatalogSource extends Pick<ImportRules, 'pricesApart'> {
  readonly source: ItemSource
  /** For the audit log: of an address its host alone, as the rest may be secret. */
  readonly name: string
}

export interface PlatformKind {
  readonly kind: string
  readonly headers: Readonly<Record<string, string>>
  readonly paceMs: number
  /** Between the calls of one bot, or of all. */
  readonly counted: 'bot' | 'address'
  readonly source: string
  /** Refused to our address; null when it is served. */
  readonly barred: PlatformRest | null
  readonly bots: readonly (PlatformRest & { readonly botId: string })[]
}

/** Since when a kind is refused, and when it is tried again. */
export interface PlatformRest {
  readonly since: Date
  readonly until: Date
}

export interface Pace {
  /** The setting that says it for accounts without a pace of their own. */
  readonly variable: string
  readonly unit: string
  readonly bounds: readonly [least: number, most: number]
}

/** What is asked of a market with a new key. */
export interface AskedMarket extends Pick<Market, 'traits' | 'lookUp'> {
  /** Null: it did not answer. */
  read(): Promise<AccountReading | null>
}

/** Posts deliveries, and renders their events. */
export type Sender = Pick<ResendDeps, 'sender' | 'render'>

/** What a correction of the books reads of a chain. */
export type Chain = Omit<ReconcileDeps, 'db' | 'treasury'>
