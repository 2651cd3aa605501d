// Deposit addresses from the extended public key of account m/44'/60'/0' (BIP-32, BIP-44): address i is
// that of child i of its external chain. No private key takes part.
import { ECDH } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import { publicKeyToAddress } from 'viem/accounts'
import { CannotStart } from '#infra/process/cannot-start'
import type { AddressDeriver } from '#ports/chains'

/** Of m/44'/60'/0'. */
const ACCOUNT_DEPTH = 3

export function createAddressDeriver(xpub: string): AddressDeriver {
  const external = readAccount(xpub).deriveChild(0)
  return {
    address: (index) => {
      const { publicKey } = external.deriveChild(index)
      if (publicKey === null) throw new Error(`no public key at index ${index}`)
      return publicKeyToAddress(`0x${uncompressed(publicKey)}`)
    },
  }
}

/** Whether a text is the extended public key of an account; an extended private key is not. */
export function isAccountXpub(text: string): boolean {
  try {
    readAccount(text)
    return true
  } catch {
    return false
  }
}

function readAccount(xpub: string): HDKey {
  const account = HDKey.fromExtendedKey(xpub)
  if (account.privateKey === null && account.depth === ACCOUNT_DEPTH) return account
  throw new CannotStart("DEPOSIT_XPUB must be the extended public key of account m/44'/60'/0'.")
}

/** The address is a hash of the whole point; BIP-32 keeps its x coordinate and a sign. */
const uncompressed = (publicKey: Uint8Array): string =>
  ECDH.convertKey(Buffer.from(publicKey), 'secp256k1', undefined, 'hex', 'uncompressed').toString()
