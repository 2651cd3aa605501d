// The root key of a seed (BIP-39 without a passphrase, BIP-32). Node derives the seed in a millisecond; the
// library of the chains does so in JavaScript, which costs each start a third of a second of CPU.
import { pbkdf2Sync } from 'node:crypto'
import { HDKey } from 'viem/accounts'

/** The words are taken as they are: their checksum is not verified. */
export const rootKeyOf = (words: string): HDKey =>
  HDKey.fromMasterSeed(pbkdf2Sync(words.normalize('NFKD'), 'mnemonic', 2048, 64, 'sha512'))
