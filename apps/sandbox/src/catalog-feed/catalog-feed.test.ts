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

const PUBLIC = '/catalog/public/en'

test('the public form says what an item is, and neither its type nor its price', async (t) => {
  const h = await startHarness(t)
  const skins = (await (await h.get(`${PUBLIC}/skins_not_grouped.json`)).json()) as Json[]
  const ruby = skins.find(({ phase }) => phase === 'Ruby') as Json
  assert.deepEqual(
    [ruby.market_hash_name, ruby.paint_index, ruby.weapon.weapon_id, ruby.category.name],
    ['★ Karambit | Doppler (Factory New)', '415', 507, 'Knives'],
  )
  assert.equal(ruby.rarity.color, '#d32ce6')
  assert.equal(
    Object.keys(ruby).some((key) => /price|itemType|volume/.test(key)),
    false,
  )
  const stickers = (await (await h.get(`${PUBLIC}/stickers.json`)).json()) as Json[]
  assert.deepEqual(
    stickers.map(({ id }) => id),
    ['sticker-1209'],
  )
  // What cannot be sold has no name on a market.
  const base = (await (await h.get(`${PUBLIC}/base_weapons.json`)).json()) as Json[]
  assert.deepEqual(
    [base.length > 0, base.every((row) => row.market_hash_name === null)],
    [true, true],
  )
  assert.deepEqual(await (await h.get(`${PUBLIC}/pets.json`)).json(), [])
  assert.equal((await h.get(`${PUBLIC}/nothing.json`)).status, 404)
})

test('a name that is hidden is in no list, and its listings are still for sale', async (t) => {
  const h = await startHarness(t)
  const name = 'AK-47 | Redline (Field-Tested)'
  const etag = (await h.get(`${PUBLIC}/skins_not_grouped.json`)).headers.get('etag')
  await h.control('PUT', '/catalog', { hidden: [name] })
  const answer = await h.get(`${PUBLIC}/skins_not_grouped.json`)
  const rows = (await answer.json()) as Json[]
  assert.equal(
    rows.some((row) => row.market_hash_name === name),
    false,
  )
  assert.notEqual(answer.headers.get('etag'), etag)
  const own = (await (await h.get(PATH)).json()) as Json
  assert.equal(
    own.items.some((item: Json) => item.marketHashName === name),
    false,
  )
  assert.ok(await h.listing('market_a'))
  await h.control('PUT', '/catalog', { hidden: [] })
  assert.equal((await h.get(`${PUBLIC}/skins_not_grouped.json`)).headers.get('etag'), etag)
})
