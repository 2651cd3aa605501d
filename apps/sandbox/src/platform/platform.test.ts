import assert from 'node:assert/strict'
import { test } from 'node:test'
import { botOf } from '../testing/bot.ts'
import { buyParams, type Harness, type Json, startHarness } from '../testing/harness.ts'

const BUYER = '76561197960269970'

const page = async (h: Harness, query: string): Promise<string> => {
  const { cookie } = await botOf(h)
  const response = await h.get(`/platform/tradeoffer/new/?${query}`, { cookie })
  assert.equal(response.status, 200)
  return response.text()
}

const inventory = (h: Harness, context = 2, query = ''): Promise<Response> =>
  h.get(`/platform/inventory/${BUYER}/730/${context}?l=english&count=75${query}`)

test('the page of a trade URL has what a client needs', async (t) => {
  const h = await startHarness(t)
  const html = await page(h, 'partner=4242&token=accept00')
  assert.match(html, /var g_strTradePartnerPersonaName = "\w+";/)
  assert.match(html, /var g_bTradePartnerProbation = false;/)
  assert.match(html, /var g_daysMyEscrow = 0;/)
  assert.match(html, /var g_daysTheirEscrow = 0;/)
  assert.match(html, /<img src="https:\/\/[^"]+\/[0-9a-f]{40}\.jpg" data-miniprofile="4242">/)
  assert.ok(html.includes(`g_ulTradePartnerSteamID = '${BUYER}'`))
  const contexts = /var g_rgPartnerAppContextData = (.*);/.exec(html)?.[1] ?? ''
  assert.equal(JSON.parse(contexts)['730'].asset_count, 40)
  assert.equal(html.includes('error_msg'), false)
})

test('a persona is deterministic, and differs for another partner', async (t) => {
  const h = await startHarness(t)
  const nameOf = (html: string): string =>
    /PersonaName = "(\w+)";\n\tvar g_ul/.exec(html)?.[1] ?? ''
  const first = nameOf(await page(h, 'partner=4242&token=accept00'))
  assert.notEqual(first, '')
  assert.equal(nameOf(await page(h, 'partner=4242&token=declin00')), first)
  assert.notEqual(nameOf(await page(h, 'partner=4243&token=accept00')), first)
})

test('holdup00 shows a platform hold of fifteen days', async (t) => {
  const h = await startHarness(t)
  assert.match(await page(h, 'partner=4242&token=holdup00'), /g_daysTheirEscrow = 15;/)
})

test('a private inventory and a malformed URL get the error page', async (t) => {
  const h = await startHarness(t)
  assert.match(
    await page(h, 'partner=4242&token=privat00'),
    /<div id="error_msg">\s*\w+ has a private inventory/,
  )
  for (const query of [
    'partner=4242',
    'token=accept00',
    'partner=0&token=accept00',
    'partner=4294967296&token=accept00',
    'partner=4242&token=short',
  ]) {
    assert.match(await page(h, query), /<div id="error_msg">/, query)
  }
})

test('an inventory has forty items, each described, some not tradable', async (t) => {
  const h = await startHarness(t)
  const body = (await (await inventory(h)).json()) as Json
  assert.equal(body.success, 1)
  assert.equal(body.total_inventory_count, 40)
  assert.equal(body.assets.length, 40)
  const described = new Map(
    body.descriptions.map((row: Json) => [`${row.classid}_${row.instanceid}`, row]),
  )
  assert.ok(body.assets.every((row: Json) => described.has(`${row.classid}_${row.instanceid}`)))
  const marketable = body.descriptions.map((row: Json) => row.marketable)
  assert.ok(marketable.includes(0) && marketable.includes(1))
  const rifle = body.descriptions.find((row: Json) => row.market_hash_name.startsWith('AK-47'))
  assert.deepEqual(
    rifle.tags.map((tag: Json) => tag.category),
    ['Type', 'Quality', 'Rarity', 'Weapon', 'ItemSet', 'Exterior'],
  )
  const properties = body.asset_properties[0].asset_properties
  assert.deepEqual(
    properties.map((property: Json) => property.propertyid),
    [1, 2, 6],
  )
  assert.match(properties[2].string_value, /^[0-9A-F]+$/)
})

test('pages follow each other by the last asset id', async (t) => {
  const h = await startHarness(t)
  const seen: string[] = []
  let start = ''
  for (;;) {
    const response = await h.get(`/platform/inventory/${BUYER}/730/2?count=15${start}`)
    const body = (await response.json()) as Json
    seen.push(...body.assets.map((row: Json) => row.assetid))
    if (body.more_items !== 1) break
    start = `&start_assetid=${body.last_assetid}`
  }
  assert.equal(seen.length, 40)
  assert.equal(new Set(seen).size, 40)
})

test('a count above a thousand and an invalid account id are refused', async (t) => {
  const h = await startHarness(t)
  assert.equal((await h.get(`/platform/inventory/${BUYER}/730/2?count=1001`)).status, 400)
  assert.equal((await h.get('/platform/inventory/123/730/2')).status, 400)
  assert.equal((await h.get(`/platform/inventory/${BUYER}/730/7`)).status, 400)
})

test('an inventory is private after its private trade URL was used, until another is used', async (t) => {
  const h = await startHarness(t)
  await page(h, 'partner=4242&token=privat00')
  const refused = await inventory(h)
  assert.equal(refused.status, 403)
  assert.equal(await refused.text(), 'null')
  await page(h, 'partner=4242&token=accept00')
  assert.equal((await inventory(h)).status, 200)
})

test('a delivered item is protected first and normal when its hold is over', async (t) => {
  const h = await startHarness(t)
  await h.a('buy-for', buyParams(await h.listing('market_a')))
  const shown = (await (await inventory(h, 16)).json()) as Json
  assert.equal(shown.total_inventory_count, 0)
  h.advance(3_000)
  const held = (await (await inventory(h, 16)).json()) as Json
  assert.equal(held.assets.length, 1)
  assert.equal(held.assets[0].contextid, '16')
  assert.equal(held.descriptions[0].tradable, 0)
  assert.match(held.descriptions[0].owner_descriptions[0].value, /trade-protected until/)
  h.advance(20_000)
  const settled = (await (await inventory(h)).json()) as Json
  assert.equal(settled.total_inventory_count, 41)
  assert.equal(settled.assets.at(-1).assetid, held.assets[0].assetid)
})

test('the platform can be switched off and slowed down', async (t) => {
  const h = await startHarness(t)
  await h.control('PUT', '/platform', { online: false })
  assert.equal((await inventory(h)).status, 502)
  assert.equal((await h.get('/platform/tradeoffer/new/?partner=1&token=accept00')).status, 502)
  await h.control('PUT', '/platform', { online: true, latencyMs: 100 })
  const startMs = performance.now()
  assert.equal((await inventory(h)).status, 200)
  assert.ok(performance.now() - startMs >= 90)
})
