// The words from which the demo's wallets and deposit addresses follow. Made at the first start with the
// sandbox; in production the words are at the signer alone, and the service gets DEPOSIT_XPUB.
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { english, generateMnemonic } from 'viem/accounts'
import { rootKeyOf } from '../adapters/shared/seed.ts'

/** 24 words. */
const STRENGTH_BITS = 256

/** The words of the data folder; of several first starts at once one makes them. */
export function readWalletSeed(dataDir: string): string {
  const file = join(dataDir, 'wallet-seed')
  if (!existsSync(file)) makeSeed(file)
  return readFileSync(file, 'utf8').trim()
}

export const depositXpubOf = (words: string): string =>
  rootKeyOf(words).derive("m/44'/60'/0'").publicExtendedKey

function makeSeed(file: string): void {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, `${generateMnemonic(english, STRENGTH_BITS)}\n`, { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
