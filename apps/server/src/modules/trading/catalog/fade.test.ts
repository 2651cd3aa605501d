import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fadeOf } from './fade.ts'

test('a fade has the percentage of its seed', () => {
  assert.equal(fadeOf('AWP | Fade (Factory New)', 'AWP', 412), 100)
  const karambit = fadeOf('★ StatTrak™ Karambit | Fade (Minimal Wear)', 'Karambit', 1)
  assert.ok(karambit !== null && karambit >= 80 && karambit <= 100)
  assert.notEqual(fadeOf('SSG 08 | Acid Fade (Factory New)', 'SSG 08', 7), null)
  assert.notEqual(fadeOf('MAC-10 | Amber Fade (Field-Tested)', 'MAC-10', 7), null)
})

test('what is not a fade, has no seed or a weapon that the calculator does not know, has none', () => {
  assert.equal(fadeOf('AK-47 | Redline (Field-Tested)', 'AK-47', 7), null)
  assert.equal(fadeOf('AWP | Fade (Factory New)', 'AWP', null), null)
  assert.equal(fadeOf('AWP | Fade (Factory New)', 'AWP', 5000), null)
  assert.equal(fadeOf('★ Sport Gloves | Fade (Factory New)', 'Sport Gloves', 7), null)
  assert.equal(fadeOf('Sticker | Fade', null, 7), null)
  assert.equal(fadeOf('AWP | Marble Fade (Factory New)', 'AWP', 7), null)
})
