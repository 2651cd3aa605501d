// The public form of the item list, as a file and as a folder.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { silentLog } from '#infra/process/log'
import { createItemSource } from './index.ts'
import { readPublicItem } from './public-item.ts'

const REDLINE = {
  id: 'skin-1_2',
  skin_id: 'skin-1',
  name: 'AK-47 | Redline (Field-Tested)',
  weapon: { id: 'weapon_ak47', weapon_id: 7, name: 'AK-47' },
  category: { id: 'csgo_inventory_weapon_category_rifles', name: 'Rifles' },
  pattern: { id: 'cu_ak47_cobra', name: 'Redline' },
  min_float: 0.1,
  max_float: 0.7,
  wear: { id: 'SFUI_InvTooltip_Wear_Amount_2', name: 'Field-Tested' },
  stattrak: false,
  souvenir: false,
  paint_index: '282',
  rarity: { id: 'rarity_legendary_weapon', name: 'Classified', color: '#d32ce6' },
  market_hash_name: 'AK-47 | Redline (Field-Tested)',
  collections: [{ id: 'collection-set_community_2', name: 'The Phoenix Collection' }],
  image: 'https://community.akamai.steamstatic.com/economy/image/hash_of-it',
}
const RUBY = {
  ...REDLINE,
  id: 'skin-2_0',
  market_hash_name: '★ StatTrak™ Karambit | Doppler (Factory New)',
  weapon: { weapon_id: 507, name: 'Karambit' },
  category: { name: 'Knives' },
  wear: { name: 'Factory New' },
  stattrak: true,
  paint_index: '415',
  phase: 'Ruby',
}
const STICKER = {
  id: 'sticker-75',
  name: 'Sticker | Black Dog',
  rarity: { name: 'High Grade', color: '4b69ff' },
  market_hash_name: 'Sticker | Black Dog',
  image: 'https://example.com/dog.png',
}
const BASE_WEAPON = { id: 'base_weapon-7', name: 'AK-47', market_hash_name: null }
const FILES: Readonly<Record<string, readonly unknown[]>> = {
  skins_not_grouped: [REDLINE, RUBY],
  stickers: [STICKER],
  keychains: [{ ...STICKER, id: 'keychain-1', market_hash_name: 'Charm | Lil\u2019 Ava' }],
  base_weapons: [BASE_WEAPON],
}

/** The folder of the list; what is asked for is noted. */
async function serveFolder(t: TestContext) {
  const asked: string[] = []
  const files = new Map(Object.entries(FILES))
  const server = createServer((request, reply) => {
    const [, file = ''] = /^\/api\/en\/(\w+)\.json$/.exec(request.url ?? '') ?? []
    asked.push(file)
    const text = JSON.stringify(files.get(file) ?? [])
    const etag = `"${text.length}"`
    const isKnown = request.headers['if-none-match'] === etag
    reply.writeHead(isKnown ? 304 : 200, { etag }).end(isKnown ? '' : text)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/en/`
  return { url, files, asked }
}

test('what the public form does not say follows from what it says', () => {
  assert.deepEqual(readPublicItem(REDLINE), {
    artIndex: null,
    item: {
      marketHashName: 'AK-47 | Redline (Field-Tested)',
      phase: null,
      name: 'AK-47 | Redline',
      type: 'Classified Rifle',
      itemType: 'Rifle',
      weapon: 'AK-47',
      rarity: 'Classified',
      rarityColor: 'd32ce6',
      category: 'Normal',
      collection: 'The Phoenix Collection',
      exterior: 'Field-Tested',
      floatRange: [0.1, 0.7],
      iconUrl: 'hash_of-it',
      defIndex: 7,
      paintIndex: 282,
      referencePriceMills: null,
      volume: null,
    },
  })
  const ruby = readPublicItem(RUBY)
  assert.ok(ruby !== null && ruby !== 'not traded')
  assert.deepEqual(
    [ruby.item.phase, ruby.item.category, ruby.item.itemType, ruby.item.type],
    ['Ruby', 'StatTrak™', 'Knife', '★ StatTrak™ Classified Knife'],
  )
  const sticker = readPublicItem(STICKER)
  assert.ok(sticker !== null && sticker !== 'not traded')
  assert.deepEqual([sticker.artIndex, sticker.item.defIndex], [75, 1209])
  // A colour counts with and without its sign.
  assert.equal(sticker.item.rarityColor, '4b69ff')
})

test('a row that may be of several things is none, and what no market names is passed over', () => {
  assert.equal(readPublicItem({ ...RUBY, paint_index: null }), null)
  assert.equal(readPublicItem({ ...RUBY, phase: 'Phase 9' }), null)
  assert.equal(readPublicItem({ ...REDLINE, paint_index: 'x' }), null)
  assert.equal(readPublicItem({ ...REDLINE, id: 'unknown-5' }), null)
  assert.equal(readPublicItem({ ...REDLINE, market_hash_name: '' }), null)
  assert.equal(readPublicItem(BASE_WEAPON), 'not traded')
  assert.equal(readPublicItem({ id: 'base_weapon-7', name: 'AK-47' }), 'not traded')
  // An id in another form is read by its file.
  const slab = { ...STICKER, id: '75-slab' }
  assert.equal(readPublicItem(slab), null)
  const read = readPublicItem(slab, 'sticker_slabs')
  assert.ok(read !== null && read !== 'not traded')
  assert.deepEqual([read.item.itemType, read.artIndex], ['Charm', null])
})

test('a folder is read whole, and again only when one of its files has changed', async (t) => {
  const { url, files, asked } = await serveFolder(t)
  const source = createItemSource({ url, log: silentLog })
  const first = await source.fetch(null)
  assert.deepEqual([first?.items.length, first?.unreadable, asked.length], [4, 0, 15])
  asked.length = 0
  assert.equal(await source.fetch(first?.etag ?? null), null)
  assert.equal(asked.length, 15)
  files.set('stickers', [
    ...(FILES.stickers ?? []),
    { ...STICKER, id: 'sticker-76', market_hash_name: 'New' },
  ])
  const again = await source.fetch(first?.etag ?? null)
  assert.deepEqual([again?.items.length, again?.etag === first?.etag], [5, false])
})

test('a folder that lacks a file is no list, and neither is one whose file is cut', async (t) => {
  const { url } = await serveFolder(t)
  await assert.rejects(
    createItemSource({ url: `${url}none/`, log: silentLog }).fetch(null),
    /nothing/,
  )
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-list-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'skins_not_grouped.json')
  writeFileSync(path, JSON.stringify([REDLINE, RUBY]))
  const fileUrl = pathToFileURL(path).href
  assert.equal(
    (await createItemSource({ url: fileUrl, log: silentLog }).fetch(null))?.items.length,
    2,
  )
  const inFolder = createItemSource({ url: `${pathToFileURL(folder).href}/`, log: silentLog })
  await assert.rejects(inFolder.fetch(null), /no item list: ENOENT/)
  writeFileSync(path, JSON.stringify([REDLINE, RUBY]).slice(0, -40))
  await assert.rejects(createItemSource({ url: fileUrl, log: silentLog }).fetch(null), /no end/)
  truncateSync(path, 300 * 1024 * 1024)
  await assert.rejects(createItemSource({ url: fileUrl, log: silentLog }).fetch(null), /larger/)
})

test('the game book reads of a folder only what has numbers', async (t) => {
  const { url, asked } = await serveFolder(t)
  const { gameBook } = createItemSource({ url, log: silentLog })
  await gameBook.refresh()
  assert.deepEqual(asked, ['stickers', 'keychains'])
  assert.equal(gameBook.sticker(75)?.name, 'Sticker | Black Dog')
  assert.equal(gameBook.charm(1)?.name, 'Charm | Lil\u2019 Ava')
})
