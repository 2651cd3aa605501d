// Secrets that must be read back, such as webhook secrets, are kept sealed: AES-256-GCM (NIST SP
// 800-38D) under a key that is not in the database. A sealed text names its key, so that keys can be
// changed: the first of the ring seals, all of them open.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { Bug } from '#kernel/assert'

export interface SecretBox {
  /** `context` is bound to the text: a sealed secret moved to another row does not open. */
  seal(secret: string, context: string): string
  open(sealed: string, context: string): string
  /** A signature that any process with the same keys knows for ours. `purpose` has a key of its own. */
  sign(text: string, purpose: string): string
  isSigned(text: string, signature: string, purpose: string): boolean
}

export const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `keys` are 32 bytes each, the current one first. */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  // As key objects: bytes are made into one anew for each call, which takes longer than the rest of it.
  const ring = new Map(keys.map((key) => [keyIdOf(key), createSecretKey(key)]))
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
      // Node takes padding, other alphabets and loose bits too: one box would have several spellings.
      if (sealed !== `v1.${keyId}.${box.toString('base64url')}`) {
        throw new Bug('a sealed secret is not in its canonical spelling')
      }
      if (box.length < NONCE_BYTES + TAG_BYTES) throw new Bug('a sealed secret is cut short')
      const options = { authTagLength: TAG_BYTES }
      const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES), options)
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(box.subarray(-TAG_BYTES))
      const plain = decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([plain, decipher.final()]).toString('utf8')
    },
    ...createSigner(ring, currentId),
  }
}

/** HMAC-SHA-256 (RFC 2104) under keys derived by HKDF (RFC 5869): what seals never signs. */
function createSigner(
  ring: ReadonlyMap<string, KeyObject>,
  currentId: string,
): Pick<SecretBox, 'sign' | 'isSigned'> {
  const derived = new Map<string, KeyObject>()
  const keyFor = (keyId: string, purpose: string): KeyObject | null => {
    const key = ring.get(keyId)
    if (!key) return null
    const name = `${keyId} ${purpose}`
    let own = derived.get(name)
    if (!own) {
      const info = `tradepost signature: ${purpose}`
      own = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', info, KEY_BYTES)))
      derived.set(name, own)
    }
    return own
  }
  const signatureOf = (text: string, keyId: string, purpose: string): string | null => {
    const key = keyFor(keyId, purpose)
    return key && `${keyId}.${createHmac('sha256', key).update(text).digest('base64url')}`
  }
  return {
    sign: (text, purpose) => signatureOf(text, currentId, purpose) as string,
    // The texts are compared and not what they decode to: a signature has one spelling.
    isSigned: (text, signature, purpose) => {
      const expected = signatureOf(text, signature.split('.', 1)[0] ?? '', purpose)
      if (expected === null || Buffer.byteLength(signature) !== expected.length) return false
      return timingSafeEqual(Buffer.from(expected), Buffer.from(signature))
    },
  }
}

/** Names a key without telling anything of it. */
export const keyIdOf = (key: Buffer): string =>
  createHash('sha256').update('key id').update(key).digest('hex').slice(0, 8)
