// A signer in this process, for tests and benches: the keys of a seed without any policy. A service that
// holds money of others signs with the signer program.

import { type HDKey, hdKeyToAccount } from 'viem/accounts'
import { keccak256 } from 'viem/utils'
import type { KeyRef, Signer } from '#ports/outbound'
import { rootKeyOf } from '../shared/seed.ts'

/** The accounts of the paths that the signer program uses. */
export function createInProcessSigner(mnemonic: string): Signer {
  type Account = ReturnType<typeof hdKeyToAccount>
  const root = rootKeyOf(mnemonic)
  let deposits: HDKey | null = null
  const depositAccount = (index: string): Account => {
    deposits ??= root.derive("m/44'/60'/0'")
    // From that key on; the type knows paths from the root alone.
    return hdKeyToAccount(deposits, { path: `m/0/${index}` as `m/44'/60'/${string}` })
  }
  const accountOf = (key: KeyRef): Account => {
    if (key === 'hot') return hdKeyToAccount(root, { accountIndex: 1 })
    if (key === 'gas') return hdKeyToAccount(root, { accountIndex: 2 })
    return depositAccount(key.slice('deposit/'.length))
  }
  const accounts = new Map<KeyRef, Account>()
  const account = (key: KeyRef): Account => {
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
