// What the registry knows of a market: the only form in which the rest of the service learns of it.
import type { TakePermit } from '#infra/database/call-permits'
import type { ReserveSlot } from '#infra/database/call-slots'
import type { HttpClient } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import type { Check, TestBuyer } from '#kernel/check'
import type { MarketId } from '#kernel/market-id'
import type { Market } from '#ports/buying'
import type { AccountReading, MarketFeed, PriceList } from '#ports/catalog'
import type { GamePlatform } from '#ports/identity'
import type { KeepPages, Statements } from '#ports/reconciliation'
import type { BreakerSettings, BreakerState } from './breaker.ts'
import type { Log, Metrics, Rng } from './feed-counters.ts'
import type { GameBook } from './game-book.ts'

export interface MarketDefinition {
  readonly id: MarketId
  /** For messages and documentation. */
  readonly title: string
  /** Names of the environment variables of our account there. */
  readonly variables: { readonly url: string; readonly key: string }
  /** Settings of its own, beside address and key. */
  readonly options?: readonly MarketOption[]
  /** How quickly each of our accounts calls: one of the options. */
  readonly paceOf: MarketPace
  readonly sandbox: SandboxMarket
  /** Its keyless list of prices, by the address of the account. */
  openPrices(baseUrl: string): PriceList
  /** What `timing` leaves out is as the market's documents say. */
  open(tools: MarketTools, account: MarketAccount, timing: MarketTiming & MarketOptions): Supplier
}

/** With bounds: what is quicker, the market would punish. */
export type MarketPace = MarketOption & {
  readonly field: 'callSpacingMs' | 'callsPerMinute'
  readonly bounds: readonly [least: number, most: number]
  readonly unit: string
}

/** What an operator may choose at a market. */
export interface MarketOptions extends Pick<MarketTiming, 'callSpacingMs' | 'callsPerMinute'> {
  /** Percent: sellers that deliver less often are not bought from; 0 takes all. */
  readonly leastChance?: number
  /** What is made of `penalties` that name the buyer: a person decides, or they are believed. */
  readonly penalties?: 'hold' | 'believe'
  /** Whether listings of sellers who send by hand are for sale. */
  readonly manualSellers?: boolean
}

/** A value that one variable of the environment sets: a number, one of some words, or else true or false. */
export interface MarketOption {
  readonly variable: string
  readonly field: keyof MarketOptions
  readonly text: string
  readonly bounds?: readonly [least: number, most: number]
  readonly words?: readonly string[]
  /** What holds while it is not set; with the sandbox, another value, or null: what the sandbox plays. */
  readonly unset: number | string | boolean
  readonly inSandbox: number | string | boolean | null
}

/** How the sandbox plays a market. `variables` are the settings that the sandbox process is given. */
export interface SandboxMarket {
  /** Below the sandbox's address. */
  readonly path: string
  apiKey(variables: Variables): string
  timing(variables: Variables): MarketTiming
}

export type Variables = Readonly<Record<string, string>>

/** One market, in its roles, with one of our accounts there. */
export interface Supplier {
  readonly market: Market
  readonly feed: MarketFeed
  readonly statements: Statements
  /** Where it publishes prices without a key. */
  readonly prices?: PriceList
  /** What is known of our account there; the market is asked when that is old. Null: nothing yet. */
  readAccount(): Promise<AccountReading | null>
  /** Of this process. */
  readonly breaker: { state(): BreakerState }
  /** Of a market that says whose a trade link is. */
  readonly tradeLinks?: GamePlatform
  /** What an operator asks it with a real account; nothing is bought. */
  readonly drill: (testBuyer: TestBuyer | null) => readonly Check[]
}

export interface MarketTools {
  readonly http: HttpClient
  readonly clock: Clock
  readonly reserveSlot: ReserveSlot
  readonly takePermit: TakePermit
  readonly rng: Rng
  readonly log: Log
  readonly metrics: Metrics
  /** Host of the addresses that users see on the game platform. */
  readonly communityHost?: string
  /** For a market whose history comes in pages. */
  readonly keepPages: KeepPages
  /** Names for the numbers of stickers and charms that markets show. */
  readonly gameBook?: GameBook
}

/** The name of a budget of calls, which every account has for itself. */
export const callBudget = (name: string, account: string): string =>
  account === 'main' ? name : `${name}:${account}`

/** One of our accounts at a market. What counts calls goes by its name. */
export interface MarketAccount {
  readonly account: string
  readonly keyVersion: number
  readonly baseUrl: string
  readonly apiKey: string
}

/** Deadlines, intervals and call budget of an adapter, where they differ from the market's documents. */
export interface MarketTiming {
  /** How soon an order that still moves is looked up again. */
  readonly pollMs?: number
  /** The same while its offer is still to come. */
  readonly offerPollMs?: number
  readonly buyDeadlineMs?: number
  readonly callDeadlineMs?: number
  readonly buyPatienceMs?: number
  readonly lookUpSettleMs?: number
  readonly statementSettleMs?: number
  readonly cancelAfterMs?: number | null
  readonly resyncMs?: number
  /** Our balance is read again when it is older. */
  readonly balanceMaxAgeMs?: number
  readonly breaker?: BreakerSettings
  /** For a market that counts calls in a second; 0 sets no limit. */
  readonly callSpacingMs?: number
  /** For a market that counts calls in a minute; 0 sets no limit. */
  readonly callsPerMinute?: number
}
