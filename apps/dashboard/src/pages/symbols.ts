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

/** Details of a record, in which a chain's own coin is named as a token is. */
export function withSymbols(
  details: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { chain } = details
  if (typeof chain !== 'string') return details
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name,
      value === 'NATIVE' ? symbolOf({ chain, token: value }) : value,
    ]),
  )
}
