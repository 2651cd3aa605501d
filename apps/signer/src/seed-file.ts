// The seed: twenty-four words in a file that its owner alone may read.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CannotStart } from './cannot-start.ts'
import { isMnemonic, newMnemonic } from './keys.ts'

/** Makes a new seed; refuses when the file exists, because money may depend on it. */
export function createSeedFile(path: string): void {
  if (existsSync(path)) {
    throw new CannotStart(`${path} exists. A seed is never overwritten: money may depend on it.`)
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, `${newMnemonic()}\n`, { mode: 0o600, flag: 'wx' })
}

/** The words in it; never part of a message. */
export function readSeedFile(path: string): string {
  if (!existsSync(path)) {
    throw new CannotStart(`There is no seed at ${path}. Make one: npm run signer -- init`)
  }
  const mode = statSync(path).mode & 0o777
  if ((mode & 0o077) !== 0) {
    throw new CannotStart(
      `${path} has mode ${mode.toString(8)}: others may read the seed. Set it to 600: chmod 600 ${path}`,
    )
  }
  const words = readFileSync(path, 'utf8').trim().replaceAll(/\s+/g, ' ')
  if (!isMnemonic(words)) {
    throw new CannotStart(`${path} holds no valid BIP-39 mnemonic (words or checksum are wrong).`)
  }
  return words
}
