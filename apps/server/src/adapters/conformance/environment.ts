// What a conformance suite needs of the environment behind a market: to read its own state and to move
// things there. A driver speaks to one sandbox; the suites know nothing of it.

export interface EnvironmentListing {
  readonly id: string
  readonly marketHashName: string
  readonly phase: string | null
  readonly priceMills: number
  readonly auto: boolean
  readonly wear: number | null
  readonly paintSeed: number | null
}

export interface EnvironmentOffer {
  readonly offerId: string
  readonly state: string
  readonly customId: string | null
}

export interface MarketEnvironment {
  /** A cheap listing that no other test was given. */
  takeListing(): Promise<EnvironmentListing>
  /** The same, of a name that has others: a market may hide the removal of a name's last. */
  takeOneOfSeveral(): Promise<EnvironmentListing>
  listings(): Promise<readonly EnvironmentListing[]>
  setPrice(listingId: string, priceMills: number): Promise<void>
  remove(listingId: string): Promise<void>
  /** The next purchase call is answered so, or, for events, this happens now. */
  script(...words: readonly string[]): Promise<void>
  setOnline(online: boolean): Promise<void>
  /** The platform's offers of the orders under this custom id. */
  offers(customId: string): Promise<readonly EnvironmentOffer[]>
  moveOffer(offerId: string, verb: 'accept' | 'decline' | 'expire'): Promise<void>
  revertOffer(offerId: string, by: 'user' | 'supplier'): Promise<void>
  /** What we own at the market, in mills. */
  balanceMills(): Promise<number>
  isKeyRevoked(): Promise<boolean>
}

/** Behind the platform's counter. */
export interface PlatformEnvironment {
  /** The 32-bit account of a partner that no other test uses. */
  newPartner(): number
  offer(offerId: string): Promise<Readonly<Record<string, unknown>>>
  /** Offers of our bots whose message has this in it. */
  offersWith(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  moveOffer(offerId: string, verb: 'accept' | 'decline' | 'expire' | 'revert'): Promise<void>
  /** The next send is answered so, or, for events, this happens now. */
  script(...words: readonly string[]): Promise<void>
  /** So many items an account owns. */
  setCount(platformId: string, count: number): Promise<void>
  setOnline(online: boolean): Promise<void>
  /** The bots as their operator knows them. */
  secretsOf(): Promise<readonly { readonly platformId: string; readonly refreshToken: string }[]>
}

const WITHIN_MS = 60_000

/** Polls until the answer is there: the parties are other processes and take their time. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
): Promise<T> {
  const giveUpAt = performance.now() + WITHIN_MS
  for (;;) {
    const found = await look()
    if (found !== null && found !== undefined && found !== false) return found
    if (performance.now() > giveUpAt) throw new Error(`did not happen in ${WITHIN_MS} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
