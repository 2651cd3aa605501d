import assert from 'node:assert/strict'
import { test } from 'node:test'
import { itemIdOf } from './item.ts'
import { stubOf } from './stub.ts'

test('what a name says of its item follows from its form', () => {
  const seen = [
    'AK-47 | Nightwish (Field-Tested)',
    'StatTrak™ AWP | Exothermic (Factory New)',
    'Souvenir MP9 | Bee-Tron (Well-Worn)',
    '★ StatTrak™ Karambit | Doppler (Factory New)',
    '★ Karambit',
    '★ Driver Gloves | Seigaiha (Minimal Wear)',
    'Sticker | Titan (Holo) | Katowice 2014',
    'Souvenir Charm | Austin 2025 Highlight',
    'StatTrak™ Music Kit | Valve, CS:GO',
    'Sealed Graffiti | Eye (Shark White)',
    'Kilowatt Case',
    'StatTrak™ Radicals Box',
    'Stockholm 2021 Mirage Souvenir Package',
    'Guardian Pin',
    'Sir Bloody Darryl | The Professionals',
    'Something New',
  ].map((marketHashName) => {
    const { name, itemType, weapon, category, exterior } = stubOf({ marketHashName, phase: null })
    return [name, itemType, weapon, category, exterior]
  })
  assert.deepEqual(seen, [
    ['AK-47 | Nightwish', 'Rifle', 'AK-47', 'Normal', 'Field-Tested'],
    ['StatTrak™ AWP | Exothermic', 'Sniper Rifle', 'AWP', 'StatTrak™', 'Factory New'],
    ['Souvenir MP9 | Bee-Tron', 'SMG', 'MP9', 'Souvenir', 'Well-Worn'],
    ['★ StatTrak™ Karambit | Doppler', 'Knife', 'Karambit', 'StatTrak™', 'Factory New'],
    ['★ Karambit', 'Knife', 'Karambit', 'Normal', null],
    ['★ Driver Gloves | Seigaiha', 'Gloves', 'Driver Gloves', 'Normal', 'Minimal Wear'],
    ['Sticker | Titan (Holo) | Katowice 2014', 'Sticker', null, 'Normal', null],
    ['Souvenir Charm | Austin 2025 Highlight', 'Charm', null, 'Normal', null],
    ['StatTrak™ Music Kit | Valve, CS:GO', 'Music Kit', null, 'StatTrak™', null],
    ['Sealed Graffiti | Eye (Shark White)', 'Graffiti', null, 'Normal', null],
    ['Kilowatt Case', 'Container', null, 'Normal', null],
    ['StatTrak™ Radicals Box', 'Container', null, 'Normal', null],
    ['Stockholm 2021 Mirage Souvenir Package', 'Container', null, 'Normal', null],
    ['Guardian Pin', 'Collectible', null, 'Normal', null],
    ['Sir Bloody Darryl | The Professionals', 'Agent', null, 'Normal', null],
    ['Something New', 'Other', null, 'Normal', null],
  ])
})

test('its id is that of the item that the list will name', () => {
  const marketHashName = '★ Karambit | Doppler (Factory New)'
  assert.equal(stubOf({ marketHashName, phase: 'Ruby' }).id, itemIdOf(marketHashName, 'Ruby'))
})
