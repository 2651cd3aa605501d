import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type Json, startHarness } from '../testing/harness.ts'
import { TINY_CATALOGUE } from '../testing/tiny-dataset.ts'

const PATH = '/catalog/cs2/items.json'

/** The bytes as they travel: `fetch` would unpack them. */
function raw(url: string, headers: Record<string, string>) {
  return new Promise<{ headers: Record<string, unknown>; body: Buffer; status: number }>(
    (resolve, reject) => {
      request(url, { agent: false, headers }, async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk as Buffer)
        const status = response.statusCode ?? 0
        resolve({ headers: response.headers, body: Buffer.concat(chunks), status })
      })
        .on('error', reject)
        .end()
    },
  )
}

test('the feed has every item of the catalogue with all its fields', async (t) => {
  const h = await startHarness(t)
  const body = (await (await h.get(PATH)).json()) as Json
  assert.equal(body.game, 'cs2')
  assert.deepEqual(body.items, TINY_CATALOGUE)
})

test('the feed is compressed on request, with the same content', async (t) => {
  const h = await startHarness(t)
  const plain = await raw(`${h.url}${PATH}`, {})
  const packed = await raw(`${h.url}${PATH}`, { 'accept-encoding': 'br, gzip' })
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.deepEqual(gunzipSync(packed.body), plain.body)
  const refused = await raw(`${h.url}${PATH}`, { 'accept-encoding': 'gzip;q=0' })
  assert.equal(refused.headers['content-encoding'], undefined)
})

test('a known version is not sent again', async (t) => {
  const h = await startHarness(t)
  const etag = (await h.get(PATH)).headers.get('etag') ?? ''
  assert.match(etag, /^"[\w-]{22}"$/)
  const known = await h.get(PATH, { 'if-none-match': etag })
  assert.equal(known.status, 304)
  assert.equal(await known.text(), '')
  assert.equal((await h.get(PATH, { 'if-none-match': '"other"' })).status, 200)
})
