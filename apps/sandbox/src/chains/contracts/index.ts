import compiled from './contracts.json' with { type: 'json' }

export type ContractName = keyof typeof compiled.contracts

/** The code that a chain keeps at the address of such a contract. */
export const runtimeCode = (name: ContractName): string => compiled.contracts[name].code

/**
 * The data of a call. Every argument is one static word: a number, an address, or a text of at most 32
 * bytes; see the source of the contracts.
 */
export function callData(
  name: ContractName,
  signature: string,
  args: readonly (bigint | string)[],
): `0x${string}` {
  const selector = (compiled.contracts[name].methods as Record<string, string>)[signature]
  if (selector === undefined) throw new Error(`${name} has no method ${signature}`)
  return `0x${selector}${args.map(word).join('')}`
}

const WORD_DIGITS = 64

function word(value: bigint | string): string {
  if (typeof value === 'bigint') {
    return BigInt.asUintN(256, value).toString(16).padStart(WORD_DIGITS, '0')
  }
  if (/^0x[0-9a-fA-F]{40}$/.test(value))
    return value.slice(2).toLowerCase().padStart(WORD_DIGITS, '0')
  return Buffer.from(value).toString('hex').padEnd(WORD_DIGITS, '0')
}
