// What the signer signs, whatever the service asks. The policy is a file of the operator; the service
// cannot read or change it. Amounts are base units (wei for NATIVE) as decimal strings.
import { readFileSync } from 'node:fs'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { type Address, getAddress, isAddress, zeroAddress } from 'viem'
import { CannotStart } from './cannot-start.ts'
import { firstProblem } from './first-problem.ts'

const Amount = Type.String({ pattern: '^(0|[1-9]\\d{0,77})$' })
const AddressText = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const Limits = { maxPerTransaction: Amount, maxPerDay: Amount }
const strict = { additionalProperties: false }

const ChainFile = Type.Object(
  {
    chainId: Type.Integer({ minimum: 1 }),
    /** Sweeps of deposit addresses go here or to the hot wallet, and nowhere else. */
    treasury: AddressText,
    /** Gas limit times greatest fee per gas: what a transaction may cost at most. */
    fees: Type.Object(Limits, strict),
    /** Native coin that deposit addresses may be sent for their sweeps. */
    gasFunding: Type.Object(Limits, strict),
    native: Type.Optional(Type.Object(Limits, strict)),
    tokens: Type.Record(
      Type.String({ pattern: '^[A-Z0-9]{2,12}$' }),
      Type.Object({ address: AddressText, ...Limits }, strict),
    ),
    /** When present, withdrawals go to these addresses only. */
    destinations: Type.Optional(Type.Array(AddressText, { maxItems: 10_000 })),
  },
  strict,
)

const PolicyFile = Type.Object(
  { chains: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{1,31}$' }), ChainFile) },
  strict,
)

export interface Limit {
  /** Base units. */
  readonly perTransaction: bigint
  /** Base units over any 24 hours. */
  readonly perDay: bigint
}

export interface ChainPolicy {
  readonly name: string
  readonly chainId: number
  readonly treasury: Address
  readonly fees: Limit
  readonly gasFunding: Limit
  /** Null: the native coin is not paid out on this chain. */
  readonly native: Limit | null
  /** By checksummed contract address. */
  readonly tokens: ReadonlyMap<Address, Limit & { readonly symbol: string }>
  /** Null: any address. */
  readonly destinations: ReadonlySet<Address> | null
}

/** By chain id. */
export type Policy = ReadonlyMap<number, ChainPolicy>

/** Throws CannotStart with the path of the first wrong value. */
export function readPolicy(path: string): Policy {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new CannotStart(
        `There is no policy yet, and without one nothing is signed. Write ${path} as apps/signer/README.md shows under "Policy".`,
      )
    }
    const reason = error instanceof Error ? error.message : String(error)
    throw new CannotStart(`The policy ${path} cannot be read: ${reason}`)
  }
  return parsePolicy(content, path)
}

export function parsePolicy(content: unknown, path = 'policy.json'): Policy {
  if (!Value.Check(PolicyFile, content)) {
    throw new CannotStart(`${path}: ${firstProblem(PolicyFile, content)}.`)
  }
  const chains = Object.entries(content.chains).map(([name, chain]) =>
    chainPolicy(name, chain, path),
  )
  const policy = new Map(chains.map((chain) => [chain.chainId, chain]))
  if (policy.size < chains.length) {
    throw new CannotStart(`${path}: two chains have the same chainId.`)
  }
  return policy
}

function chainPolicy(name: string, file: Static<typeof ChainFile>, path: string): ChainPolicy {
  const address = (text: string, what: string): Address => {
    // In one case of letters there is no checksum; in mixed case it must be right (EIP-55).
    if (!isAddress(text) || getAddress(text) === zeroAddress) {
      throw new CannotStart(`${path}: /chains/${name}/${what} is no usable address: ${text}.`)
    }
    return getAddress(text)
  }
  const tokens = Object.entries(file.tokens).map(
    ([symbol, token]) =>
      [address(token.address, `tokens/${symbol}/address`), { symbol, ...limit(token) }] as const,
  )
  if (new Set(tokens.map(([contract]) => contract)).size < tokens.length) {
    throw new CannotStart(`${path}: /chains/${name}/tokens names one contract twice.`)
  }
  return {
    name,
    chainId: file.chainId,
    treasury: address(file.treasury, 'treasury'),
    fees: limit(file.fees),
    gasFunding: limit(file.gasFunding),
    native: file.native ? limit(file.native) : null,
    tokens: new Map(tokens),
    destinations:
      file.destinations === undefined
        ? null
        : new Set(file.destinations.map((text, i) => address(text, `destinations/${i}`))),
  }
}

const limit = (file: { maxPerTransaction: string; maxPerDay: string }): Limit => ({
  perTransaction: BigInt(file.maxPerTransaction),
  perDay: BigInt(file.maxPerDay),
})
