// A signer in this process, for tests and benches: the keys of a seed without any policy. A service that
// holds money of others signs with the signer program.

import { keccak256 } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import type { KeyRef, Signer } from '#ports/outbound'

/** The accounts of the paths that the signer program uses. */
export function createInProcessSigner(mnemonic: string): Signer {
  const accountOf = (key: KeyRef): ReturnType<typeof mnemonicToAccount> => {
    if (key === 'hot') return mnemonicToAccount(mnemonic, { accountIndex: 1 })
    if (key === 'gas') return mnemonicToAccount(mnemonic, { accountIndex: 2 })
    return mnemonicToAccount(mnemonic, { addressIndex: Number(key.slice('deposit/'.length)) })
  }
  const accounts = new Map<KeyRef, ReturnType<typeof accountOf>>()
  const account = (key: KeyRef): ReturnType<typeof accountOf> => {
    const known = accounts.get(key) ?? accountOf(key)
    accounts.set(key, known)
    return known
  }
  return {
    address: async (key) => account(key).address,
    sign: async ({ key, transaction }) => {
      const from = account(key)
      const raw = await from.signTransaction({ ...transaction, type: 'eip1559' })
      return { kind: 'signed', from: from.address, raw, hash: keccak256(raw) }
    },
  }
}
