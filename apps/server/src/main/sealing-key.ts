// The key under which secrets are sealed. It lives outside the database, so that a copy of the database
// alone gives no secret away.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart } from '#infra/process/cannot-start'
import { createSecretBox, KEY_BYTES, type SecretBox } from '#infra/process/secrets'
import type { Config } from './config.ts'
import { writeAtomically } from './data-folder.ts'
import { readKeys } from './settings.ts'

/**
 * From SECRETS_KEY, else from the data folder. `mayMake`: a first start may make one there. Not so for a
 * database elsewhere with real money in it: the key would be lost with the folder, and with it every
 * webhook secret.
 */
export function openSecretBox(config: Config, { mayMake }: { mayMake: boolean }): SecretBox {
  const file = join(config.dataDir, 'secrets.key')
  if (config.secretsKey) return createSecretBox(readKeys(config.secretsKey.reveal()) ?? [])
  if (!existsSync(file)) {
    if (!mayMake) {
      throw new CannotStart(
        'SECRETS_KEY must be set: 32 random bytes in hex or base64, the same for every process.',
      )
    }
    writeAtomically(file, `${randomBytes(KEY_BYTES).toString('hex')}\n`)
  }
  const keys = readKeys(readFileSync(file, 'utf8').trim())
  if (!keys) throw new CannotStart(`${file} is damaged: it must hold 32 bytes in hex.`)
  return createSecretBox(keys)
}
