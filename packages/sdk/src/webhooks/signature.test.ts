import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { formatted } from '../../tools/formatted.ts'
import { type Vector, vectorsFile } from '../../tools/signature-vectors.ts'
import { verifySignature, WebhookSignatureError } from './signature.ts'

const PACKAGE = join(import.meta.dirname, '../..')
const PATH = join(PACKAGE, 'vectors/webhook-signatures.json')
const { vectors } = JSON.parse(readFileSync(PATH, 'utf8')) as { vectors: readonly Vector[] }

const [plain] = vectors
assert.ok(plain)

const verdictOn = (
  { headers, bodyBase64, secrets, nowSeconds }: Vector,
  options: { readonly secret?: string; readonly nowMs?: number } = {},
): Promise<string | null> =>
  verifySignature(
    { headers, body: new Uint8Array(Buffer.from(bodyBase64, 'base64')) },
    { secret: secrets, nowMs: nowSeconds * 1000, ...options },
  ).then(
    () => null,
    (error: unknown) => {
      assert.ok(error instanceof WebhookSignatureError, String(error))
      assert.equal(error.key, 'INVALID_SIGNATURE')
      return error.reason
    },
  )

it('the vectors are those of their generator', () => {
  assert.equal(readFileSync(PATH, 'utf8'), formatted(PATH, vectorsFile()))
})

it('every vector gets its verdict', async () => {
  assert.ok(vectors.length > 35)
  for (const vector of vectors) {
    assert.equal(vector.valid, vector.reason === undefined)
    assert.equal(await verdictOn(vector), vector.reason ?? null, vector.name)
  }
})

it('the Python verifier gives the same verdicts', (context) => {
  const { stdout, stderr, error } = spawnSync('python3', ['-B', 'check_vectors.py'], {
    cwd: join(PACKAGE, 'python'),
    encoding: 'utf8',
  })
  // A bare machine has no Python, and the service needs none.
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    return context.skip('python3 is not installed')
  }
  assert.equal(Number(stdout), vectors.length, stderr)
})

it('headers may come as Headers, as text or as lists of one', async () => {
  const { headers, bodyBase64, secrets, nowSeconds } = plain
  const body = Buffer.from(bodyBase64, 'base64')
  const options = { secret: secrets, nowMs: nowSeconds * 1000 }
  const listed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  for (const form of [new Headers(headers), headers, listed]) {
    assert.equal(
      (await verifySignature({ body, headers: form }, options)).id,
      headers['webhook-id'],
    )
  }
  const doubled = { ...listed, 'webhook-id': ['a', 'b'] }
  await assert.rejects(verifySignature({ body, headers: doubled }, options), {
    reason: 'malformed_header',
  })
})

it('the body may come as bytes, a view, a buffer or text', async () => {
  const { headers, bodyBase64, secrets, nowSeconds } = plain
  const raw = Buffer.from(bodyBase64, 'base64')
  const padded = Buffer.concat([Buffer.from('x'), raw, Buffer.from('y')])
  const buffer = new Uint8Array(raw).buffer
  const options = { secret: secrets, nowMs: nowSeconds * 1000 }
  for (const body of [raw, padded.subarray(1, -1), buffer, raw.toString('utf8')]) {
    await verifySignature({ body, headers }, options)
  }
  const parsed = JSON.parse(raw.toString('utf8')) as string
  await assert.rejects(verifySignature({ body: parsed, headers }, options), /raw bytes/)
})

it('without a secret nothing is accepted', async () => {
  const { headers, bodyBase64 } = plain
  const delivery = { body: Buffer.from(bodyBase64, 'base64'), headers }
  for (const secret of ['', [], [''], undefined as unknown as string]) {
    await assert.rejects(verifySignature(delivery, { secret }), TypeError)
  }
})

it('a clock or a tolerance that is not a number accepts nothing', async () => {
  assert.equal(await verdictOn(plain, { nowMs: Number.NaN }), 'stale')
  await assert.rejects(
    verifySignature(
      { body: '', headers: plain.headers },
      { secret: 'x', toleranceSeconds: Number.NaN },
    ),
    TypeError,
  )
})
