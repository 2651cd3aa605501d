// Where a block explorer shows a transaction or an address.

export interface OnChain {
  readonly chain: string | null
  readonly kind: 'tx' | 'address'
  /** A hash or an address, in hex. */
  readonly value: string
}

const FORMS: Readonly<Record<OnChain['kind'], RegExp>> = {
  tx: /^0x[0-9a-f]{64}$/i,
  address: /^0x[0-9a-f]{40}$/i,
}

/** Null without a known explorer of the chain, and for a text that is no hash or address. */
export function explorerUrl(
  explorers: Readonly<Record<string, string>>,
  { chain, kind, value }: OnChain,
): string | null {
  const base = chain === null || !Object.hasOwn(explorers, chain) ? undefined : explorers[chain]
  return base === undefined || !FORMS[kind].test(value) ? null : `${base}/${kind}/${value}`
}
