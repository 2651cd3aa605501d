import { encodeFunctionData, erc20Abi } from 'viem'
import { openKeyRing } from '../keys.ts'
import { parsePolicy } from '../policy.ts'
import type { SigningRequest, Transaction } from '../transaction.ts'

/** The mnemonic of every local EVM node: public, and worth nothing. */
export const MNEMONIC = 'test test test test test test test test test test test junk'
export const KEYS = openKeyRing(MNEMONIC)

export const TREASURY = '0x1111111111111111111111111111111111111111'
export const USER = '0x2222222222222222222222222222222222222222'
export const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
export const UNKNOWN_TOKEN = '0xdAC17F958D2ee523a2206206994597C13D831ec7'

export const POLICY_FILE = {
  chains: {
    ethereum: {
      chainId: 1,
      treasury: TREASURY,
      fees: { maxPerTransaction: '1000000000000000', maxPerDay: '3000000000000000' },
      gasFunding: { maxPerTransaction: '500', maxPerDay: '1000' },
      native: { maxPerTransaction: '100', maxPerDay: '250' },
      tokens: { USDC: { address: USDC, maxPerTransaction: '1000', maxPerDay: '2500' } },
    },
  },
}
export const POLICY = parsePolicy(POLICY_FILE)

export const transfer = (to: string, amount: bigint): `0x${string}` =>
  encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [to as `0x${string}`, amount],
  })

/** A native send of 100 wei by the hot wallet by default. */
export const request = (
  transaction: Partial<Transaction> = {},
  rest: Partial<Omit<SigningRequest, 'transaction'>> = {},
): SigningRequest => ({
  key: 'hot',
  depositIndex: null,
  ...rest,
  transaction: {
    chainId: 1,
    nonce: 0,
    to: USER,
    value: 100n,
    data: '0x',
    gas: 21_000n,
    maxFeePerGas: 1_000_000_000n,
    maxPriorityFeePerGas: 1n,
    ...transaction,
  },
})

/** The same as the body of POST /sign. */
export function bodyOf({ key, depositIndex, transaction }: SigningRequest): object {
  return {
    key,
    ...(depositIndex === null ? {} : { depositIndex }),
    transaction: Object.fromEntries(
      Object.entries(transaction).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? value.toString() : value,
      ]),
    ),
  }
}
