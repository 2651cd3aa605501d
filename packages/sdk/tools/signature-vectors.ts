// Deliveries with the verdict that a receiver must reach, for receivers in any language. The signatures are
// made with node:crypto, so that the SDK's own Web Crypto code is not measured against itself.
import { createHmac } from 'node:crypto'

export interface Vector {
  readonly name: string
  /** What the receiver holds. */
  readonly secrets: readonly string[]
  readonly nowSeconds: number
  readonly headers: Readonly<Record<string, string>>
  /** The raw bytes. */
  readonly bodyBase64: string
  readonly valid: boolean
  readonly reason?: 'missing_header' | 'malformed_header' | 'stale' | 'mismatch'
}

// No secrets: text of the right form that was never issued.
const SECRET = `whsec_${'A'.repeat(42)}E`
const PREVIOUS = `whsec_${'B'.repeat(42)}I`
const OTHER = `whsec_${'C'.repeat(42)}M`
const ID = '0193f3f0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
const NOW = 1_795_252_200
const BODY = `{"id":"${ID}","type":"trade.hold","createdAt":"2026-11-21T09:30:00.000Z","data":{}}`

export function vectorsFile(): string {
  const file = {
    scheme: {
      signed: '<webhook-id>.<webhook-timestamp>.<raw body>',
      algorithm: 'HMAC-SHA256, keyed with the UTF-8 bytes of the whole secret, prefix included',
      encoding: 'base64url without padding, 43 characters',
      header:
        'webhook-signature: t=<webhook-timestamp>,s=<signature>[,s1=<signature by the previous secret>]',
      accept:
        's or s1 matches, compared in constant time, and the timestamp is within the tolerance',
      toleranceSeconds: 300,
    },
    vectors: [...accepted(), ...tampered(), ...stale(), ...missing(), ...malformed()],
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

interface Delivery {
  readonly name: string
  readonly body?: string | Buffer
  /** What is sent instead of the body that was signed. */
  readonly sent?: string
  readonly secrets?: readonly string[]
  readonly signer?: string
  readonly previous?: string
  readonly atSeconds?: number
  readonly headers?: (headers: Record<string, string>) => Record<string, string>
  readonly reason?: Vector['reason']
}

function vector(delivery: Delivery): Vector {
  const { name, body = BODY, secrets = [SECRET], signer = SECRET, atSeconds = NOW } = delivery
  const raw = Buffer.from(body)
  const parts = [`t=${atSeconds}`, `s=${sign(signer, atSeconds, raw)}`]
  if (delivery.previous !== undefined) parts.push(`s1=${sign(delivery.previous, atSeconds, raw)}`)
  const headers = {
    'webhook-id': ID,
    'webhook-timestamp': String(atSeconds),
    'webhook-signature': parts.join(','),
  }
  return {
    name,
    secrets,
    nowSeconds: NOW,
    headers: delivery.headers?.(headers) ?? headers,
    bodyBase64: Buffer.from(delivery.sent ?? raw).toString('base64'),
    valid: delivery.reason === undefined,
    ...(delivery.reason === undefined ? {} : { reason: delivery.reason }),
  }
}

const sign = (secret: string, atSeconds: number, body: Buffer): string =>
  createHmac('sha256', secret).update(`${ID}.${atSeconds}.`).update(body).digest('base64url')

const accepted = (): Vector[] => [
  vector({ name: 'a plain delivery' }),
  vector({
    name: 'text outside ASCII is signed as UTF-8',
    body: BODY.replace('{}', '{"name":"★ Karambit | 龍王 🐉"}'),
  }),
  vector({
    name: 'white space is part of the body',
    body: ` ${BODY.replaceAll(',', ',\r\n  ')}\n`,
  }),
  vector({ name: 'an empty body', body: '' }),
  vector({ name: 'bytes that are no UTF-8', body: Buffer.from([0x00, 0xff, 0xfe, 0x0a, 0x80]) }),
  vector({ name: 'during a rotation, a receiver with the new secret', previous: PREVIOUS }),
  vector({
    name: 'during a rotation, a receiver with the previous secret',
    previous: PREVIOUS,
    secrets: [PREVIOUS],
  }),
  vector({
    name: 'a receiver with several secrets, the second of which signed',
    secrets: [OTHER, SECRET],
  }),
  vector({ name: 'exactly 300 seconds old', atSeconds: NOW - 300 }),
  vector({ name: 'exactly 300 seconds ahead', atSeconds: NOW + 300 }),
  vector({
    name: 'header names in another case',
    headers: (headers) => ({
      'Webhook-Id': headers['webhook-id'] ?? '',
      'WEBHOOK-TIMESTAMP': headers['webhook-timestamp'] ?? '',
      'Webhook-Signature': headers['webhook-signature'] ?? '',
    }),
  }),
  vector({
    name: 'a part of a later version is passed over',
    headers: changed('webhook-signature', (value) => `${value},v2=abc`),
  }),
]

const tampered = (): Vector[] => [
  vector({
    name: 'a byte of the body is another',
    sent: BODY.replace('hold', 'bold'),
    reason: 'mismatch',
  }),
  vector({
    name: 'the body was parsed and written again',
    body: BODY.replaceAll(',', ', '),
    sent: BODY,
    reason: 'mismatch',
  }),
  vector({ name: 'signed with another secret', signer: OTHER, reason: 'mismatch' }),
  vector({
    name: 'neither s nor s1 is by the receiver’s secret',
    signer: OTHER,
    previous: PREVIOUS,
    reason: 'mismatch',
  }),
  vector({
    name: 'another delivery’s id',
    headers: changed('webhook-id', () => '0193f3f0-1c2d-7e3f-8a4b-5c6d7e8f9a0c'),
    reason: 'mismatch',
  }),
  vector({
    name: 'a later timestamp in both places, with the old signature',
    headers: (headers) => ({
      ...headers,
      'webhook-timestamp': String(NOW + 1),
      'webhook-signature': (headers['webhook-signature'] ?? '').replace(
        String(NOW),
        String(NOW + 1),
      ),
    }),
    reason: 'mismatch',
  }),
  vector({
    name: 'the secret without its prefix',
    secrets: [SECRET.slice('whsec_'.length)],
    reason: 'mismatch',
  }),
]

const stale = (): Vector[] => [
  vector({ name: '301 seconds old', atSeconds: NOW - 301, reason: 'stale' }),
  vector({ name: '301 seconds ahead', atSeconds: NOW + 301, reason: 'stale' }),
]

const missing = (): Vector[] =>
  ['webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name) => [
    vector({
      name: `no ${name}`,
      headers: (headers) =>
        Object.fromEntries(Object.entries(headers).filter(([known]) => known !== name)),
      reason: 'missing_header',
    }),
    vector({
      name: `an empty ${name}`,
      headers: changed(name, () => ''),
      reason: 'missing_header',
    }),
  ])

const malformed = (): Vector[] => {
  const signatures: readonly [name: string, change: (value: string) => string][] = [
    ['t is not the timestamp of its header', (value) => value.replace(`t=${NOW}`, `t=${NOW - 1}`)],
    ['no t', (value) => value.replace(/^t=\d+,/, '')],
    ['no s', (value) => value.replace(/,s=.*/, '')],
    ['only s1', (value) => value.replace(',s=', ',s1=')],
    ['s twice', (value) => `${value},${value.split(',')[1]}`],
    ['padding', (value) => `${value}=`],
    ['a signature that is too short', (value) => value.slice(0, -1)],
    ['spaces between the parts', (value) => value.replace(',', ', ')],
    ['only the signature', (value) => value.split('s=')[1] ?? ''],
    [
      'the signature in hex',
      (value) =>
        value.replace(
          /s=(.*)/,
          (_, text: string) => `s=${Buffer.from(text, 'base64url').toString('hex')}`,
        ),
    ],
    ['another spelling of the same bytes', respelled],
  ]
  return [
    ...signatures.map(([name, change]) =>
      vector({ name, headers: changed('webhook-signature', change), reason: 'malformed_header' }),
    ),
    vector({
      name: 'standard base64 instead of base64url',
      // A body whose signature has a character that the two alphabets spell differently.
      body: bodyWithSpecialSignature(),
      headers: changed('webhook-signature', (value) =>
        value.replaceAll('-', '+').replaceAll('_', '/'),
      ),
      reason: 'malformed_header',
    }),
    vector({
      name: 'a timestamp that is no number',
      headers: changed('webhook-timestamp', () => 'now'),
      reason: 'malformed_header',
    }),
    vector({
      name: 'a timestamp in milliseconds',
      headers: changed('webhook-timestamp', (value) => `${value}000`),
      reason: 'malformed_header',
    }),
    vector({
      name: 'a dot in the id',
      headers: changed('webhook-id', (value) => `${value}.1`),
      reason: 'malformed_header',
    }),
  ]
}

const changed =
  (name: string, change: (value: string) => string) =>
  (headers: Record<string, string>): Record<string, string> => ({
    ...headers,
    [name]: change(headers[name] ?? ''),
  })

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The last character stands for four bits and two that are ignored; here one of those two is set. */
const respelled = (value: string): string =>
  value.slice(0, -1) + ALPHABET.charAt(ALPHABET.indexOf(value.slice(-1)) + 1)

function bodyWithSpecialSignature(): string {
  for (let spaces = 0; ; spaces++) {
    const body = BODY + ' '.repeat(spaces)
    if (/[-_]/.test(sign(SECRET, NOW, Buffer.from(body)))) return body
  }
}
