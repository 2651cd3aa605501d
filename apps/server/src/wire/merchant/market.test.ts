import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CatalogItem, Entry } from '#catalog'
import { suggestionText } from './market.ts'

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
