// A request to sign, parsed once and strictly: fields that the signer does not know are refused, because
// what it cannot judge it must not sign.
import Type from 'typebox'
import { Value } from 'typebox/value'
import { type Address, getAddress, isAddress, type TransactionSerializableEIP1559 } from 'viem'
import { firstProblem } from './first-problem.ts'
import { type KeyRef, MAX_DEPOSIT_INDEX, parseKeyRef } from './keys.ts'

const Quantity = Type.String({ pattern: '^(0|[1-9]\\d{0,77})$' })
const strict = { additionalProperties: false }

const SignRequest = Type.Object(
  {
    key: Type.String({ maxLength: 32 }),
    /** Only with key `gas`: the number of the deposit address that is funded. */
    depositIndex: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_DEPOSIT_INDEX })),
    transaction: Type.Object(
      {
        chainId: Type.Integer({ minimum: 1 }),
        nonce: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        to: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
        value: Quantity,
        data: Type.String({ pattern: '^0x([0-9a-f]{2})*$', maxLength: 512 }),
        gas: Quantity,
        maxFeePerGas: Quantity,
        maxPriorityFeePerGas: Quantity,
      },
      strict,
    ),
  },
  strict,
)

/** A transaction of type 2 (EIP-1559); amounts in wei. */
export interface Transaction {
  readonly chainId: number
  readonly nonce: number
  readonly to: Address
  readonly value: bigint
  readonly data: `0x${string}`
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

export interface SigningRequest {
  readonly key: KeyRef
  readonly depositIndex: number | null
  readonly transaction: Transaction
}

export type Parsed =
  | { readonly kind: 'request'; readonly request: SigningRequest }
  | { readonly kind: 'invalid'; readonly reason: string }

export function parseSigningRequest(body: unknown): Parsed {
  if (!Value.Check(SignRequest, body)) {
    return invalid(firstProblem(SignRequest, body))
  }
  const key = parseKeyRef(body.key)
  if (key === null) return invalid('/key names no key')
  const { to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas, ...rest } = body.transaction
  if (!isAddress(to)) return invalid('/transaction/to has a wrong checksum')
  return {
    kind: 'request',
    request: {
      key,
      depositIndex: body.depositIndex ?? null,
      transaction: {
        ...rest,
        to: getAddress(to),
        data: data as `0x${string}`,
        value: BigInt(value),
        gas: BigInt(gas),
        maxFeePerGas: BigInt(maxFeePerGas),
        maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
      },
    },
  }
}

const invalid = (reason: string): Parsed => ({ kind: 'invalid', reason })

export const serializable = (transaction: Transaction): TransactionSerializableEIP1559 => ({
  ...transaction,
  type: 'eip1559',
})

/** transfer(address,uint256) of ERC-20: selector, recipient padded to 32 bytes, amount. */
const TRANSFER = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/

/** Null for every other call. */
export function parseTransfer(data: string): { recipient: Address; amount: bigint } | null {
  const [, recipient, amount] = TRANSFER.exec(data) ?? []
  if (recipient === undefined || amount === undefined) return null
  return { recipient: getAddress(`0x${recipient}`), amount: BigInt(`0x${amount}`) }
}
