// The symbols that people know tokens by.

export interface Token {
  /** Absent where the token is none of a chain's own. */
  readonly chain?: string | null
  readonly token: string | null
}

/** A chain's own coin by its symbol: BNB on bsc, ETH on the others. Empty while the token is unknown. */
export function symbolOf({ chain, token }: Token): string {
  if (token !== 'NATIVE') return token ?? ''
  return chain === 'bsc' ? 'BNB' : 'ETH'
}

/** Facts of a record, in which a chain's own coin is named as a token is. */
export function withSymbols(
  facts: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { chain } = facts
  if (typeof chain !== 'string') return facts
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      value === 'NATIVE' ? symbolOf({ chain, token: value }) : value,
    ]),
  )
}
