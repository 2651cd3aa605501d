// The signature of a delivery: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>`. In our own
// form it is keyed with the UTF-8 text of the whole secret and is base64url without padding; in that of
// Standard Webhooks 1.0, which an endpoint can be set to, it is keyed with what follows `whsec_`, decoded,
// and is base64. Web Crypto only.

/** How far a timestamp may be from the receiver's clock, in both directions. */
export const WEBHOOK_TOLERANCE_SECONDS = 300

export type SignatureReason =
  /** One of the three headers is absent or empty. */
  | 'missing_header'
  /** A header does not have the documented form. */
  | 'malformed_header'
  /** Signed too long ago or in the future: a replayed delivery, or a wrong clock. */
  | 'stale'
  /** Not signed with this secret, or the body was changed. */
  | 'mismatch'
  /** Signed, but not an event. */
  | 'malformed_body'

/** The delivery failed verification. */
export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError'
  readonly key = 'INVALID_SIGNATURE'
  readonly reason: SignatureReason

  constructor(reason: SignatureReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** `Headers`, or an object such as Node's. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface SignedDelivery {
  /** The bytes as received: parsing and serialising would change them. */
  readonly body: Uint8Array | ArrayBuffer | string
  readonly headers: WebhookHeaders
}

/** The merchant interface's, and the partner interface's. */
export type SignatureHeader = 'webhook-signature' | 'x-service-signature'

export interface VerifyOptions {
  /** `whsec_…`, whole. Several while you change yours: any of them may have signed. */
  readonly secret: string | readonly string[]
  /** 300 by default. */
  readonly toleranceSeconds?: number | undefined
  /** `webhook-signature` by default. */
  readonly signatureHeader?: SignatureHeader | undefined
  /** Milliseconds since 1970; the clock's by default. */
  readonly nowMs?: number | undefined
}

/** Answers the bytes that were signed, or rejects with a `WebhookSignatureError`. */
export async function verifySignature(
  { body, headers }: SignedDelivery,
  options: VerifyOptions,
): Promise<{ readonly id: string; readonly body: Uint8Array }> {
  const secrets = secretsOf(options.secret)
  const bytes = bytesOf(body)
  const { id, timestamp, signatures, isStandard } = readHeaders(
    headers,
    options.signatureHeader ?? 'webhook-signature',
  )
  checkAge(Number(timestamp), options)
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  // Every pair is compared, so that the time taken does not reveal which one matched.
  let matches = 0
  for (const secret of secrets) {
    const key = await hmacKey(isStandard ? decodedSecret(secret) : encoded(secret))
    for (const signature of signatures) {
      matches += (await crypto.subtle.verify('HMAC', key, signature, signed)) ? 1 : 0
    }
  }
  if (matches === 0) {
    throw new WebhookSignatureError('mismatch', 'no signature is that of this secret and body')
  }
  return { id, body: bytes }
}

// Web Crypto's types want memory that is not shared between threads.
type Bytes = Uint8Array<ArrayBuffer>

const encoded = (secret: string): Bytes => new TextEncoder().encode(secret)

/** Base64, and base64url of an endpoint that had our own form before. */
function decodedSecret(secret: string): Bytes {
  try {
    const bytes = bytesOfBase64(secret.replace(/^whsec_/, ''))
    if (bytes.length > 0) return bytes
  } catch {
    // Said below: a secret that is no base64 at all.
  }
  throw new TypeError('secret must be whsec_ and base64 for this form of signature')
}

const hmacKey = (key: Bytes) =>
  crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])

function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret
  // An unset variable must not become a key that anyone could guess.
  if (!Array.isArray(secrets) || secrets.length === 0 || secrets.some((one) => !isText(one))) {
    throw new TypeError('secret must be the webhook secret, or several')
  }
  return secrets
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

function bytesOf(body: unknown): Bytes {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return new Uint8Array(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new TypeError('body must be the raw bytes of the request, not a parsed value')
}

function joined(one: Uint8Array, other: Uint8Array): Bytes {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

function checkAge(timestampSeconds: number, options: VerifyOptions): void {
  const { toleranceSeconds = WEBHOOK_TOLERANCE_SECONDS, nowMs = Date.now() } = options
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds must be at least 0')
  const nowSeconds = Math.floor(nowMs / 1000)
  // Written so that a clock that is no number refuses.
  if (!(Math.abs(nowSeconds - timestampSeconds) <= toleranceSeconds)) {
    throw new WebhookSignatureError(
      'stale',
      `signed at ${timestampSeconds}, and it is ${nowSeconds}: over ${toleranceSeconds} s apart`,
    )
  }
}

function readHeaders(
  headers: WebhookHeaders,
  signatureHeader: SignatureHeader,
): {
  readonly id: string
  readonly timestamp: string
  readonly signatures: readonly Bytes[]
  readonly isStandard: boolean
} {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const header = headerOf(headers, signatureHeader)
  // Without a dot in it, no id can take part of the timestamp.
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) throw malformed('webhook-id')
  if (!/^\d{1,12}$/.test(timestamp)) throw malformed('webhook-timestamp')
  if (signatureHeader === 'webhook-signature' && header.startsWith('v1,')) {
    return { id, timestamp, signatures: standardSignatures(header), isStandard: true }
  }
  const parts = readParts(header, signatureHeader)
  const [s, s1] = [parts.get('s'), parts.get('s1')]
  if (parts.get('t') !== timestamp || s === undefined) throw malformed(signatureHeader)
  return {
    id,
    timestamp,
    signatures: [s, s1]
      .filter((one) => one !== undefined)
      .map((one) => decoded(one, signatureHeader)),
    isStandard: false,
  }
}

/** `v1,<base64>`, several separated by spaces; versions of other names are for later. */
function standardSignatures(header: string): Bytes[] {
  const signatures = header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => {
      const text = part.slice('v1,'.length)
      if (!/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text)) throw malformed('webhook-signature')
      return bytesOfBase64(text)
    })
  // Each is compared with each secret: a header of thousands would be work for nothing.
  if (signatures.length === 0 || signatures.length > 8) throw malformed('webhook-signature')
  return signatures
}

/** `t=…,s=…,s1=…`, each once; parts of other names are for later versions. */
function readParts(header: string, signatureHeader: SignatureHeader): Map<string, string> {
  const parts = new Map<string, string>()
  for (const part of header.split(',')) {
    const [, name, value] = /^([a-z][a-z0-9]*)=([A-Za-z0-9_-]+)$/.exec(part) ?? []
    if (name === undefined || value === undefined || parts.has(name)) {
      throw malformed(signatureHeader)
    }
    parts.set(name, value)
  }
  return parts
}

// 43 characters are 258 bits, so a last character stands for two bits too many, which must be zero: one
// signature has one spelling.
const SIGNATURE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

function decoded(text: string, signatureHeader: SignatureHeader): Bytes {
  if (!SIGNATURE.test(text)) throw malformed(signatureHeader)
  return bytesOfBase64(text)
}

/** Of either alphabet. */
function bytesOfBase64(text: string): Bytes {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isGetter(headers) ? headers.get(name) : lookedUp(headers, name)
  if (value === undefined || value === null || value === '') {
    throw new WebhookSignatureError('missing_header', `there is no ${name} header`)
  }
  if (typeof value === 'string') return value
  const [only] = value
  if (value.length !== 1 || only === undefined) throw malformed(name)
  return only
}

const isGetter = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function'

function lookedUp(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string | readonly string[] | undefined {
  const known = headers[name]
  if (known !== undefined) return known
  const spelled = Object.keys(headers).find((one) => one.toLowerCase() === name)
  return spelled === undefined ? undefined : headers[spelled]
}

const malformed = (name: string): WebhookSignatureError =>
  new WebhookSignatureError('malformed_header', `the ${name} header does not have its form`)
