// What reconciliation needs from outside: a supplier's own list of what it sold us. An adapter turns one
// supplier's histories into these words and knows nothing of cases.
import type { MarketId } from '#kernel/market-id'
import type { Mills } from '#kernel/money'

export interface StatementLine {
  readonly orderId: string
  /** The id that we gave it; null where the supplier does not say. */
  readonly customId: string | null
  readonly placedAt: Date
  readonly paidMills: Mills | null
  /**
   * open: nothing was handed over yet. held: handed over, and can still be taken back. completed: final.
   * ended: it came to nothing. Histories forget by whose fault, so they are not asked for it.
   */
  readonly state: 'open' | 'held' | 'completed' | 'ended'
  /** Of an ended order: what came back, by the supplier's word. Null for all others. */
  readonly returnedMills: Mills | null
  /** The supplier's own words, for debugging only. */
  readonly detail: string
}

export type StatementAnswer =
  | {
      readonly kind: 'read'
      readonly lines: readonly StatementLine[]
      /** False when lines may be lacking: too many to read, or one that could not be understood. */
      readonly isWhole: boolean
    }
  | { readonly kind: 'unavailable'; readonly detail: string }

export interface StatementTraits {
  /**
   * For so long after something happened the statement or the balance may not show it. Within it nothing
   * is missing and nothing contradicts.
   */
  readonly settleMs: number
  /** What may be kept of the price when the recipient reverses; null where the documents do not say. */
  readonly keptOnUserReversalBps: number | null
}

/** An order as a long history lists it, with no more than that. */
export interface ListedOrder {
  readonly orderId: string
  readonly placedAt: Date
}

type Context = { readonly requestId: string; readonly signal?: AbortSignal }
type Unavailable = Extract<StatementAnswer, { kind: 'unavailable' }>

/** A supplier whose history comes in pages, and says the rest of each order when it is looked up. */
export interface StatementPages {
  readonly id: MarketId
  /** Ours there. */
  readonly account: string
  readonly traits: StatementTraits
  /**
   * The orders from the `skip`-th newest on, the newest first; none: there are no more. Null: a row that
   * could not be understood. New orders push the others to later places.
   */
  page(
    skip: number,
    context: Context,
  ): Promise<
    { readonly kind: 'read'; readonly rows: readonly (ListedOrder | null)[] } | Unavailable
  >
  /** What is said of these orders now; those of which nothing can be understood are left out. */
  lookUp(
    orderIds: readonly string[],
    context: Context,
  ): Promise<{ readonly kind: 'read'; readonly lines: readonly OrderLine[] } | Unavailable>
}
export type OrderLine = Omit<StatementLine, 'placedAt'>

/** Makes statements of pages, by keeping what they said. */
export type KeepPages = (pages: StatementPages) => Statements

export interface Statements {
  readonly id: MarketId
  /** Ours there, of which it is. */
  readonly account: string
  readonly traits: StatementTraits
  /** Everything that was bought with our key since `from`. Never throws for an answer. */
  read(
    from: Date,
    context: { readonly requestId: string; readonly signal?: AbortSignal },
  ): Promise<StatementAnswer>
}
