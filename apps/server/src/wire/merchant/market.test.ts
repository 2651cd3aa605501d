import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CatalogItem, Entry, Listing } from '#catalog'
import { mills } from '#kernel/money'
import { createPriceTag } from '#pricing'
import { createItemTexts, listingView, suggestionText } from './market.ts'

test('the text of an item is ASCII, and says what its JSON would have said', () => {
  const item = {
    id: '9f86d081884c7d65',
    marketHashName: '★ StatTrak™ Karambit | 龍王 🐉 "(Factory New)"',
    iconUrl: 'https://cdn.example/icon',
    rarity: 'Covert',
    rarityColor: '#eb4b4b',
    itemType: 'Knife',
  }
  const text = suggestionText({ ordinal: 0, item: item as CatalogItem } as Entry)
  assert.match(text, /^[ -~]+$/)
  assert.deepEqual(JSON.parse(text), item)
})

test('an item of which only the name is known has no rarity, colour or reference price', () => {
  const tag = createPriceTag({ currency: 'USD', houseFeeBps: 0, merchantFeeBps: 0 }, null)
  const item = {
    ...{ id: '9f86d081884c7d65', name: 'New', marketHashName: 'New', itemType: 'Other' },
    ...{ iconUrl: '', category: 'Normal', weapon: null, exterior: null, phase: null },
    ...{ rarity: '', rarityColor: '', collection: null, floatRange: null, referenceMills: null },
  }
  const entry = { ordinal: 0, item, lowest: mills(1000n), instant: null, version: 1 }
  const found = { ...entry, standardCount: 1, instantCount: 0 } as unknown as Entry
  assert.deepEqual(JSON.parse(createItemTexts(tag).searchItem(found)), {
    ...{ id: item.id, name: 'New', marketHashName: 'New', itemType: 'Other', iconUrl: '' },
    ...{ category: 'Normal', price: { standard: 1, instant: null }, listingsCount: 1 },
  })
  const description = {
    ...{ name: 'New', marketHashName: 'New', type: 'Other', iconUrl: '', exterior: null },
    ...{ rarity: '', color: '', phase: null, stickers: [], charm: null, delivery: 'standard' },
  }
  const listing = { id: 1n, priceMills: mills(1000n), referenceMills: null, fade: null }
  const shown = listingView({ ...listing, description } as unknown as Listing, tag)
  assert.deepEqual(
    [shown.referencePrice, 'rarity' in shown, 'color' in shown],
    [null, false, false],
  )
})
