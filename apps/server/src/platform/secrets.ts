// Secrets that must be read back, such as webhook secrets, are kept sealed: AES-256-GCM (NIST SP
// 800-38D) under a key that is not in the database. A sealed text names its key, so that keys can be
// changed: the first of the ring seals, all of them open.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { Bug } from '#kernel/assert'

export interface SecretBox {
  /** `context` is bound to the text: a sealed secret moved to another row does not open. */
  seal(secret: string, context: string): string
  open(sealed: string, context: string): string
}

export const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `keys` are 32 bytes each, the current one first. */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const ring = new Map(keys.map((key) => [keyIdOf(key), key]))
  const [current] = ring
  if (!current || keys.some((key) => key.length !== KEY_BYTES)) {
    throw new Bug(`a secret box needs keys of ${KEY_BYTES} bytes`)
  }
  const [currentId, currentKey] = current
  return {
    seal: (secret, context) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', currentKey, nonce)
      cipher.setAAD(Buffer.from(context))
      const bytes = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      const box = Buffer.concat([nonce, bytes, cipher.getAuthTag()])
      return `v1.${currentId}.${box.toString('base64url')}`
    },
    open: (sealed, context) => {
      const [version, keyId = '', text = ''] = sealed.split('.')
      const key = ring.get(keyId)
      if (version !== 'v1' || !key) throw new Bug('a sealed secret names a key that is not here')
      const box = Buffer.from(text, 'base64url')
      if (box.length < NONCE_BYTES + TAG_BYTES) throw new Bug('a sealed secret is cut short')
      const options = { authTagLength: TAG_BYTES }
      const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES), options)
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(box.subarray(-TAG_BYTES))
      const plain = decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([plain, decipher.final()]).toString('utf8')
    },
  }
}

/** Names a key without telling anything of it. */
const keyIdOf = (key: Buffer): string =>
  createHash('sha256').update('key id').update(key).digest('hex').slice(0, 8)
