import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countingRounds } from '#infra/testing/rounds'
import { emptyGameBook } from '../shared/game-book.ts'
import { readInventoryPage } from './inventory-page.ts'

const read = (page: unknown) =>
  readInventoryPage(typeof page === 'string' ? page : JSON.stringify(page), {
    contextId: '2',
    book: emptyGameBook,
  })
const ASSET = {
  appid: 730,
  contextid: '2',
  assetid: '41',
  classid: '5',
  instanceid: '7',
  amount: '1',
}
const DESCRIPTION = {
  classid: '5',
  instanceid: '7',
  market_hash_name: 'AK-47 | Redline (Field-Tested)',
  name: 'AK-47 | Redline',
  type: 'Classified Rifle',
  icon_url: 'abc_def-123',
  tradable: 1,
  tags: [
    { category: 'Exterior', localized_tag_name: 'Field-Tested' },
    { category: 'Rarity', localized_tag_name: 'Classified', color: 'D32CE6' },
  ],
}
const PAGE = {
  assets: [ASSET],
  descriptions: [DESCRIPTION],
  asset_properties: [
    {
      assetid: '41',
      asset_properties: [
        { propertyid: 1, int_value: '661' },
        { propertyid: 2, float_value: '0.2500000000001' },
      ],
    },
  ],
  total_inventory_count: 1,
  success: 1,
}

test('an item is its asset, its description and its properties together', async () => {
  assert.deepEqual(await read(PAGE), {
    items: [
      {
        assetId: '41',
        contextId: '2',
        classId: '5',
        instanceId: '7',
        marketHashName: 'AK-47 | Redline (Field-Tested)',
        name: 'AK-47 | Redline',
        type: 'Classified Rifle',
        iconUrl: 'abc_def-123',
        tradable: true,
        exterior: 'Field-Tested',
        rarity: 'Classified',
        color: 'D32CE6',
        previewToken: null,
        wearText: '0.2500000000001',
        paintSeed: 661,
        paintIndex: null,
        stickers: [],
        charm: null,
      },
    ],
    next: null,
    total: 1,
  })
})

test('an asset without an instance has instance 0', async () => {
  const { instanceid: _, ...asset } = ASSET
  const page = await read({
    ...PAGE,
    assets: [asset],
    descriptions: [{ ...DESCRIPTION, instanceid: '0' }],
  })
  assert.equal(page?.items[0]?.instanceId, '0')
})

test('an asset that nothing describes is left out, and the others stay', async () => {
  const page = await read({
    ...PAGE,
    assets: [{ ...ASSET, assetid: '40', classid: '9' }, ASSET, null],
  })
  assert.deepEqual(
    page?.items.map(({ assetId }) => assetId),
    ['41'],
  )
})

test('where there is more, the last asset says where it goes on', async () => {
  assert.equal((await read({ ...PAGE, more_items: 1, last_assetid: '41' }))?.next, '41')
  assert.equal((await read({ ...PAGE, last_assetid: '41' }))?.next, null)
})

test('an empty inventory is a page without assets', async () => {
  const page = await read({ success: 1, total_inventory_count: 0, rwgrsn: -2 })
  assert.deepEqual(page, { items: [], next: null, total: 0 })
})

test('what is no page is null', async () => {
  for (const page of ['null', '', '<html>', '[]', { success: false }, { assets: [ASSET] }]) {
    assert.equal(await read(page), null)
  }
})

test('of a long page only some items are read before other requests are served', async () => {
  const assets = Array.from({ length: 1000 }, (_, i) => ({ ...ASSET, assetid: String(i + 1) }))
  const { page, turns } = await countingRounds(async (rounds) => ({
    page: await read({ ...PAGE, assets }),
    turns: rounds(),
  }))
  assert.equal(page?.items.length, 1000)
  assert.ok(turns >= 4, `${turns} turns`)
})

test('no text of an item gets out of its field', async () => {
  const page = await read({
    ...PAGE,
    descriptions: [
      {
        ...DESCRIPTION,
        icon_url: 'javascript:alert(1)',
        tradable: 'perhaps',
        tags: [{ category: 'Rarity', localized_tag_name: 'x', color: 'red;background:url(x)' }],
      },
    ],
    asset_properties: [
      {
        assetid: '41',
        asset_properties: [
          { propertyid: 2, float_value: '7' },
          { propertyid: 6, string_value: '../../etc/passwd' },
        ],
      },
    ],
  })
  const [item] = page?.items ?? []
  assert.equal(item?.iconUrl, '')
  assert.equal(item?.tradable, false)
  assert.equal(item?.color, null)
  assert.equal(item?.wearText, null)
  assert.equal(item?.previewToken, null)
})

test('no page, however broken, throws', async () => {
  const value = fc.jsonValue()
  const row = fc.record({ assetid: value, classid: value, instanceid: value, tags: value })
  const page = fc.record({
    success: fc.constant(1),
    assets: fc.oneof(value, fc.array(row)),
    descriptions: fc.oneof(value, fc.array(row)),
    asset_properties: fc.oneof(value, fc.array(row)),
    more_items: value,
    last_assetid: value,
    total_inventory_count: value,
  })
  await fc.assert(
    fc.asyncProperty(page, async (one) => {
      await read(one)
    }),
  )
})
