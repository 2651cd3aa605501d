import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCatalogue } from '../dataset/catalogue.ts'
import { drawItem } from './draw.ts'

const ITEMS = readCatalogue().entries.map(({ item }) => item)

test('every item has a drawing, the same each time, that names nothing else', () => {
  for (const item of ITEMS.filter((_, at) => at % 7 === 0)) {
    const drawing = drawItem(item)
    assert.equal(drawing, drawItem(item))
    assert.doesNotMatch(drawing, /NaN|undefined|null|href|<script|<text/)
    assert.match(drawing, /^<svg [^>]+>.*<\/svg>$/s)
  }
})

test('finishes, weapons and wears differ', () => {
  const one = (name: string): string => {
    const item = ITEMS.find(({ marketHashName }) => marketHashName === name)
    assert.ok(item, name)
    return drawItem(item)
  }
  const drawings = [
    'AK-47 | Redline (Field-Tested)',
    'AK-47 | Redline (Battle-Scarred)',
    'AK-47 | Case Hardened (Field-Tested)',
    'AWP | Asiimov (Field-Tested)',
    'Glock-18 | Fade (Factory New)',
  ].map(one)
  assert.equal(new Set(drawings).size, drawings.length)
})
