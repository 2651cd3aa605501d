// An authenticator in software, which makes and uses passkeys as a browser and its device do: real ES256
// signatures over real authenticator data, with the flags that a test chooses.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

interface Choices {
  /** Of the page that asks. */
  readonly origin: string
  /** Whether the device has verified its user, by a finger or a PIN. */
  readonly isVerified?: boolean
}

export interface SoftwareAuthenticator {
  create(
    options: { readonly challenge: string; readonly rp: { readonly id: string } },
    choices: Choices,
  ): { id: string; clientDataJSON: string; attestationObject: string; transports: string[] }
  /** `counter` is the signature counter that it shows. */
  use(
    options: { readonly challenge: string; readonly rpId: string },
    choices: Choices & { readonly counter?: number },
  ): { id: string; clientDataJSON: string; authenticatorData: string; signature: string }
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

export function createAuthenticator(): SoftwareAuthenticator {
  const id = randomBytes(32)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    create: ({ challenge, rp }, { origin, isVerified = true }) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)])
      const flags = USER_PRESENT | (isVerified ? USER_VERIFIED : 0) | HAS_CREDENTIAL
      const data = Buffer.concat([dataOf(rp.id, flags, 0), credential])
      return {
        id: id.toString('base64url'),
        clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
        attestationObject: attestation(data).toString('base64url'),
        transports: ['internal'],
      }
    },
    use: ({ challenge, rpId }, { origin, isVerified = true, counter = 0 }) => {
      const client = clientData('webauthn.get', challenge, origin)
      const data = dataOf(rpId, USER_PRESENT | (isVerified ? USER_VERIFIED : 0), counter)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return {
        id: id.toString('base64url'),
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      }
    },
  }
}

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()

const clientData = (type: string, challenge: string, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

/** Authenticator data: hash of the site's id, flags, counter (WebAuthn, section 6.1). */
function dataOf(rpId: string, flags: number, counter: number): Buffer {
  const tail = Buffer.alloc(5)
  tail.writeUInt8(flags)
  tail.writeUInt32BE(counter, 1)
  return Buffer.concat([sha256(rpId), tail])
}

/** The public key in CBOR: a map of key type 2 (EC2), algorithm -7, curve 1, x and y. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const coordinate = (label: number, text: string): Buffer =>
    Buffer.concat([Buffer.from([label, 0x58, 0x20]), Buffer.from(text, 'base64url')])
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01])
  return Buffer.concat([head, coordinate(0x21, x), coordinate(0x22, y)])
}

/** An attestation object without a statement: `{fmt: "none", attStmt: {}, authData}` in CBOR. */
function attestation(data: Buffer): Buffer {
  const text = (value: string): Buffer =>
    Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  const length = Buffer.from([0x59, data.length >> 8, data.length & 0xff])
  const empty = Buffer.from([0xa0])
  return Buffer.concat([
    ...[Buffer.from([0xa3]), text('fmt'), text('none'), text('attStmt'), empty],
    ...[text('authData'), length, data],
  ])
}
