// What the drill needs of its process: the counterparts as a worker opens them, the books of the service for
// what leaves, and the terminal.
import type { Market } from '#buying'
import type { MarketFeed } from '#catalog'
import type { Db } from '#infra/database/db'
import type { SendGuard } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import type { Check, TestBuyer } from '#kernel/check'
import type { MarketId } from '#kernel/market-id'

export interface Surroundings {
  readonly markets: readonly MarketId[]
  readonly clock: Clock
  /** Ends the drill after the check that is under way. */
  readonly signal: AbortSignal
  say(line: string): void
  /** Empty when the input ends. */
  ask(question: string): Promise<string>
  writeReport(path: string, text: string): void
  /** Called when the arguments are right. Throws a sentence where the drill cannot begin. */
  open(): Promise<Tools>
}

export interface Tools {
  readonly db: Db
  /** Host that trade URLs name. */
  readonly communityHost: string
  readonly suppliers: readonly Supplier[]
  /** What costs nothing, by the name of the part. */
  checksOf(part: string, given: Given): Promise<readonly Check[]>
  /** The same text without what is secret. */
  concealed(text: string): string
  close(): Promise<void>
}

/** Where the drill buys. */
export interface Supplier {
  readonly market: Market
  readonly feed: MarketFeed
}

export interface Given {
  /** Null: the operator names none. */
  readonly testBuyer: TestBuyer | null
  /** For what makes an order at a counterpart. */
  readonly guard: SendGuard
}
