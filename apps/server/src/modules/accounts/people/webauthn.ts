// Web Authentication (W3C, level 3) by @simplewebauthn/server. A passkey is discoverable and verifies its
// user, by a finger or a PIN: it proves possession and the person at once, and so logs in alone.
import type { PasskeyRow } from './store/passkeys.ts'

/** Loaded with the first passkey: its 290 files are a sixth of what a process would load at its start. */
const webAuthn = () => import('@simplewebauthn/server')

export const CEREMONY_MINUTES = 5

/** EdDSA, ES256, RS256: what authenticators make today (RFC 9053, section 2; RFC 8812). */
const ALGORITHMS = [-8, -7, -257]
const RELYING_PARTY = 'Tradepost'
const TIMEOUT_MS = CEREMONY_MINUTES * 60_000

type Transport = 'ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb'

/** Where a browser makes and uses passkeys: the origin of the pages, and its host. */
const siteOf = (publicUrl: string): { readonly origin: string; readonly host: string } => {
  const { origin, hostname } = new URL(publicUrl)
  return { origin, host: hostname }
}

/** `PublicKeyCredentialCreationOptionsJSON`. */
export interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string; readonly name: string }
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string }
  readonly pubKeyCredParams: readonly { readonly alg: number; readonly type: 'public-key' }[]
  readonly timeout: number
  readonly excludeCredentials: readonly Descriptor[]
  readonly authenticatorSelection: {
    readonly residentKey: 'required'
    readonly userVerification: 'required'
  }
  readonly attestation: 'none'
}

/** `PublicKeyCredentialRequestOptionsJSON`. */
export interface RequestOptions {
  readonly challenge: string
  readonly rpId: string
  readonly timeout: number
  readonly allowCredentials: readonly Descriptor[]
  readonly userVerification: 'required'
}

interface Descriptor {
  readonly id: string
  readonly type: 'public-key'
  readonly transports: readonly string[]
}

const descriptorOf = ({ credentialId, transports }: PasskeyRow): Descriptor => ({
  id: credentialId,
  type: 'public-key',
  transports: [...transports],
})

/** `known` are the person's passkeys: an authenticator makes no second one. */
export async function creationOptions(
  publicUrl: string,
  {
    nonce,
    person,
    known,
  }: {
    readonly nonce: Buffer
    readonly person: { readonly id: string; readonly email: string }
    readonly known: readonly PasskeyRow[]
  },
): Promise<CreationOptions> {
  const { host } = siteOf(publicUrl)
  const { generateRegistrationOptions } = await webAuthn()
  const { challenge, user } = await generateRegistrationOptions({
    ...{ rpName: RELYING_PARTY, rpID: host, challenge: new Uint8Array(nonce) },
    ...{ userName: person.email, userID: userHandle(person.id), timeout: TIMEOUT_MS },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  return {
    ...{ challenge, timeout: TIMEOUT_MS, attestation: 'none' },
    rp: { id: host, name: RELYING_PARTY },
    user: { id: user.id, name: person.email, displayName: person.email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  }
}

/** `known` empty: any passkey of this site, which the person chooses in the browser. */
export async function requestOptions(
  publicUrl: string,
  { nonce, known }: { readonly nonce: Buffer; readonly known: readonly PasskeyRow[] },
): Promise<RequestOptions> {
  const { host } = siteOf(publicUrl)
  const { generateAuthenticationOptions } = await webAuthn()
  const { challenge } = await generateAuthenticationOptions({
    rpID: host,
    challenge: new Uint8Array(nonce),
    userVerification: 'required',
  })
  return {
    ...{ challenge, rpId: host, timeout: TIMEOUT_MS, userVerification: 'required' },
    allowCredentials: known.map(descriptorOf),
  }
}

/** What an authenticator says of a passkey that it has made; all texts in base64url. */
export interface NewCredential {
  readonly id: string
  readonly clientDataJSON: string
  readonly attestationObject: string
  readonly transports: readonly string[]
}

/** What an authenticator says of a passkey that was used; all texts in base64url. */
export interface UsedCredential {
  readonly id: string
  readonly clientDataJSON: string
  readonly authenticatorData: string
  readonly signature: string
  readonly userHandle?: string | undefined
}

/** Null for an answer to another question, from another site, or without verification of its user. */
export async function readNewCredential(
  publicUrl: string,
  nonce: Buffer,
  credential: NewCredential,
): Promise<Pick<PasskeyRow, 'credentialId' | 'publicKey' | 'counter' | 'isSynced'> | null> {
  const { origin, host } = siteOf(publicUrl)
  const { id, clientDataJSON, attestationObject } = credential
  const { verifyRegistrationResponse } = await webAuthn()
  const read = await orNull(
    verifyRegistrationResponse({
      response: { ...envelopeOf(id), response: { clientDataJSON, attestationObject } },
      expectedChallenge: nonce.toString('base64url'),
      ...{ expectedOrigin: origin, expectedRPID: host, requireUserVerification: true },
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  )
  if (read === null || !read.verified) return null
  const { credential: made, credentialDeviceType } = read.registrationInfo
  return {
    ...{ credentialId: made.id, publicKey: made.publicKey, counter: BigInt(made.counter) },
    isSynced: credentialDeviceType === 'multiDevice',
  }
}

/** The new counter; null for an answer that proves nothing. */
export async function readUsedCredential(
  publicUrl: string,
  nonce: Buffer,
  { credential, passkey }: { readonly credential: UsedCredential; readonly passkey: PasskeyRow },
): Promise<bigint | null> {
  const { origin, host } = siteOf(publicUrl)
  const { id, clientDataJSON, authenticatorData, signature, userHandle: handle } = credential
  if (handle !== undefined && handle !== base64url(userHandle(passkey.personId))) return null
  const { verifyAuthenticationResponse } = await webAuthn()
  const read = await orNull(
    verifyAuthenticationResponse({
      response: { ...envelopeOf(id), response: { clientDataJSON, authenticatorData, signature } },
      expectedChallenge: nonce.toString('base64url'),
      ...{ expectedOrigin: origin, expectedRPID: host, requireUserVerification: true },
      credential: {
        ...{ id: passkey.credentialId, publicKey: passkey.publicKey },
        // Counters are compared below: a synced passkey has one on each device.
        counter: 0,
        transports: [...passkey.transports] as Transport[],
      },
    }),
  )
  if (read === null || !read.verified) return null
  const counter = BigInt(read.authenticationInfo.newCounter)
  // A counter that stands still belongs to a copy of the authenticator (WebAuthn, section 6.1.1).
  if (!passkey.isSynced && passkey.counter > 0n && counter <= passkey.counter) return null
  return counter
}

const envelopeOf = (id: string) => ({
  ...{ id, rawId: id, type: 'public-key' as const },
  clientExtensionResults: {},
})

/** The library throws what it refuses. */
const orNull = async <T>(reading: Promise<T>): Promise<T | null> => {
  try {
    return await reading
  } catch {
    return null
  }
}

const userHandle = (personId: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(personId.replaceAll('-', ''), 'hex'))

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
