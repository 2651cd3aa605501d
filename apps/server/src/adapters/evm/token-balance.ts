// The balance of a token, by its contract's own method.
import { decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem'
import type { Address, Hex } from '#kernel/chain'
import { data, InvalidAnswer } from './answers.ts'

export const balanceOfData = (holder: Address): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] })

export function readTokenBalance(value: unknown): bigint {
  try {
    return decodeFunctionResult({
      abi: erc20Abi,
      functionName: 'balanceOf',
      data: data(value, 'a balance'),
    })
  } catch {
    throw new InvalidAnswer('a balance cannot be decoded')
  }
}
