// What the bots pay: the policy that the operator keeps, and the pure arithmetic on it.
import { type Cents, cents, type Mills } from '#kernel/money'

export interface Policy {
  readonly version: bigint
  readonly buying: boolean
  /** US cents. Below and above these nothing is bought. */
  readonly leastQuote: Cents
  readonly mostQuote: Cents
  /** Of what a tenant has open at the bots and what is free there: so much it may have open. */
  readonly offerSharePercent: number
  /** Sells of one tenant that may wait for a bot. */
  readonly waitingLimit: number
  /** By falling volume: the first one that an item reaches holds. */
  readonly bands: readonly Band[]
  readonly items: ReadonlyMap<string, ItemPolicy>
}

export interface Band {
  /** Sales a day on the markets. */
  readonly leastVolume: number
  readonly discountBps: number
}

/** What holds for one item of the catalogue whatever its band says. */
export interface ItemPolicy {
  readonly accepted: boolean
  readonly discountBps: number | null
  /** US cents, instead of reference price and discount. */
  readonly quote: Cents | null
}

export interface Appraised {
  readonly id: string
  readonly referenceMills: Mills | null
  /** More than one market stands for the reference, or the operator does. */
  readonly quotable: boolean
  readonly volume: number
}

/** US cents for one copy of the item; null when it is not bought. Rounded down: a quote is what we pay. */
export function quoteOf(item: Appraised, policy: Policy): Cents | null {
  if (!policy.buying) return null
  const own = policy.items.get(item.id)
  if (own && !own.accepted) return null
  const quote = own?.quote ?? discounted(item, own?.discountBps ?? bandOf(item, policy))
  if (quote === null || quote < policy.leastQuote || quote > policy.mostQuote) return null
  return quote
}

const bandOf = ({ volume }: Appraised, { bands }: Policy): number | null =>
  bands.find(({ leastVolume }) => volume >= leastVolume)?.discountBps ?? null

const MILLS_A_CENT = 10n
const ALL_BPS = 10_000n

function discounted(
  { referenceMills, quotable }: Appraised,
  discountBps: number | null,
): Cents | null {
  if (referenceMills === null || !quotable || discountBps === null) return null
  return cents((referenceMills * (ALL_BPS - BigInt(discountBps))) / (MILLS_A_CENT * ALL_BPS))
}
