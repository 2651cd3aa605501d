// The keys of one seed. Paths follow BIP-44 for Ethereum (coin 60):
//   deposit/<i>  m/44'/60'/0'/0/<i>  deposit address number i; the service derives it from the account's xpub
//   hot          m/44'/60'/1'/0/0    pays withdrawals
//   gas          m/44'/60'/2'/0/0    sends deposit addresses the gas for their sweeps
// The accounts are hardened: the xpub of the deposit account says nothing about the other two. It must
// stay private all the same, because it and one private key of a deposit address give all of them.
import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { type Address, bytesToHex, type LocalAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { CannotStart } from './cannot-start.ts'

export type KeyRef = 'hot' | 'gas' | `deposit/${number}`

export interface KeyRing {
  account(ref: KeyRef): LocalAccount
  address(ref: KeyRef): Address
  /** Extended public key of the deposit account; index i of its external chain is deposit address i. */
  readonly depositXpub: string
}

/** The greatest index of a key that is not hardened. */
export const MAX_DEPOSIT_INDEX = 2 ** 31 - 1

const DEPOSIT_REF = /^deposit\/(0|[1-9]\d{0,9})$/

/** Null for a text that names no key. */
export function parseKeyRef(text: string): KeyRef | null {
  if (text === 'hot' || text === 'gas') return text
  const index = DEPOSIT_REF.exec(text)?.[1]
  return index !== undefined && Number(index) <= MAX_DEPOSIT_INDEX ? (text as KeyRef) : null
}

/** Twenty-four words, 256 bits of the system's randomness. */
export const newMnemonic = (): string => generateMnemonic(wordlist, 256)

export const isMnemonic = (words: string): boolean => validateMnemonic(words, wordlist)

export function openKeyRing(mnemonic: string): KeyRing {
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic))
  const accountOf = (path: string): LocalAccount => {
    const { privateKey } = root.derive(path)
    if (privateKey === null) throw new CannotStart(`The seed has no private key at ${path}.`)
    return privateKeyToAccount(bytesToHex(privateKey))
  }
  const hot = accountOf("m/44'/60'/1'/0/0")
  const gas = accountOf("m/44'/60'/2'/0/0")
  const account = (ref: KeyRef): LocalAccount => {
    if (ref === 'hot') return hot
    if (ref === 'gas') return gas
    return accountOf(`m/44'/60'/0'/0/${ref.slice('deposit/'.length)}`)
  }
  return {
    account,
    address: (ref) => account(ref).address,
    depositXpub: root.derive("m/44'/60'/0'").publicExtendedKey,
  }
}
