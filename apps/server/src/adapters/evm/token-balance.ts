// The balance of a token, by its contract's own method.
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils'
import type { Address, Hex } from '#kernel/chain'
import { data, InvalidAnswer } from './answers.ts'

/** What is called of a token (ERC-20). */
export const TOKEN = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
])

export const balanceOfData = (holder: Address): Hex =>
  encodeFunctionData({ abi: TOKEN, functionName: 'balanceOf', args: [holder] })

export function readTokenBalance(value: unknown): bigint {
  try {
    return decodeFunctionResult({
      abi: TOKEN,
      functionName: 'balanceOf',
      data: data(value, 'a balance'),
    })
  } catch {
    throw new InvalidAnswer('a balance cannot be decoded')
  }
}
