import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '#infra/testing/clock'
import { mills } from '#kernel/money'
import type { SourceListing } from '#ports/catalog'
import { createAttachment } from './attachment.ts'
import { createChannel } from './channel.ts'
import { hasPhases, phaseOf, splitPhase } from './phase.ts'
import { createRecentChanges } from './recent-changes.ts'

const listing = (rawId: string, priceMills: number): SourceListing => ({
  market: 'market_a',
  rawId,
  marketHashName: 'AK-47 | Redline (Field-Tested)',
  phase: null,
  priceMills: mills(BigInt(priceMills)),
  assetId: null,
  classId: null,
  instanceId: null,
  wear: null,
  paintSeed: 5,
  paintIndex: null,
  stickers: [],
  charm: null,
  inspectToken: null,
  delivery: 'standard',
})

test('what the feed reported after a file was made is laid over the file', () => {
  const clock = manualClock(new Date(1_000_000))
  const recent = createRecentChanges(clock)
  recent.note({ kind: 'price', rawId: 'old', priceMills: mills(1n) })
  clock.advance(10_000)
  const madeAtMs = clock.now().getTime()
  clock.advance(10_000)
  recent.note({ kind: 'remove', rawId: 'gone' })
  recent.note({ kind: 'price', rawId: 'moved', priceMills: mills(70n) })
  recent.note({ kind: 'upsert', listing: { ...listing('both', 80), paintSeed: null } })
  recent.note({ kind: 'upsert', listing: listing('new', 90) })
  recent.note({ kind: 'price', rawId: 'new', priceMills: mills(95n) })
  recent.note({ kind: 'upsert', listing: listing('brief', 1) })
  recent.note({ kind: 'remove', rawId: 'brief' })

  const overlay = recent.over(madeAtMs)
  const prices = ['old', 'gone', 'moved', 'both', 'calm'].map(
    (rawId) => overlay.apply(listing(rawId, 10))?.priceMills,
  )
  assert.deepEqual(prices, [10n, undefined, 70n, 80n, 10n])
  assert.equal(overlay.apply(listing('both', 10))?.paintSeed, 5)
  assert.deepEqual(
    overlay.arrived().map(({ rawId, priceMills }) => [rawId, priceMills]),
    [['new', 95n]],
  )
})

test('old changes are forgotten', () => {
  const clock = manualClock(new Date(1_000_000))
  const recent = createRecentChanges(clock)
  recent.note({ kind: 'remove', rawId: 'a' })
  clock.advance(400_000)
  recent.note({ kind: 'remove', rawId: 'b' })
  const overlay = recent.over(0)
  assert.notEqual(overlay.apply(listing('a', 10)), null)
  assert.equal(overlay.apply(listing('b', 10)), null)
})

test('a snapshot waits for a socket that is connecting, and then nothing is lost', async () => {
  const attachment = createAttachment()
  attachment.connecting()
  let began = false
  const snapshot = attachment.beforeSnapshot(new AbortController().signal).then(() => {
    began = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(began, false)
  assert.equal(attachment.connected(), false)
  await snapshot
  assert.equal(began, true)
})

test('a socket that comes after a snapshot, or comes back, may have lost something', async () => {
  const attachment = createAttachment()
  await attachment.beforeSnapshot(new AbortController().signal)
  attachment.connecting()
  assert.equal(attachment.connected(), true)
  const fresh = createAttachment()
  fresh.connecting()
  assert.equal(fresh.connected(), false)
  assert.equal(fresh.connected(), true)
})

test('a socket that never comes up does not hold a snapshot for ever', async () => {
  const attachment = createAttachment()
  attachment.connecting()
  const stop = new AbortController()
  const snapshot = attachment.beforeSnapshot(stop.signal)
  stop.abort()
  await snapshot
})

test('a channel gives pieces in order, says when it is full, and ends', async () => {
  const channel = createChannel<number>(3)
  assert.deepEqual(
    [1, 2, 3, 4].map((piece) => channel.push(piece)),
    [true, true, true, false],
  )
  const read: number[] = []
  const reading = (async () => {
    for await (const piece of channel.read()) read.push(piece)
  })()
  await new Promise((resolve) => setImmediate(resolve))
  channel.push(5)
  channel.close()
  await reading
  assert.deepEqual(read, [1, 2, 3, 5])
})

test('what replaces a full queue is all that is left of it', async () => {
  const channel = createChannel<string>(1)
  channel.push('a')
  channel.replaceAll('gap')
  channel.close()
  const read: string[] = []
  for await (const piece of channel.read()) read.push(piece)
  assert.deepEqual(read, ['gap'])
})

test('phases are found in every spelling', () => {
  for (const [text, phase] of [
    ['Phase 3', 'Phase 3'],
    ['phase3', 'Phase 3'],
    ['Doppler Phase 1', 'Phase 1'],
    ['Gamma Doppler Emerald', 'Emerald'],
    ['blackpearl', 'Black Pearl'],
    ['Black Pearl', 'Black Pearl'],
    ['', null],
    ['Phase 5', null],
    [null, null],
  ] as const) {
    assert.equal(phaseOf(text), phase)
  }
})

test('a phase is taken out of a name and the rest is the platform’s own name', () => {
  for (const [name, marketHashName, phase] of [
    ['★ Karambit | Doppler Phase 3 (Factory New)', '★ Karambit | Doppler (Factory New)', 'Phase 3'],
    [
      '★ StatTrak™ Bayonet | Gamma Doppler Emerald (Minimal Wear)',
      '★ StatTrak™ Bayonet | Gamma Doppler (Minimal Wear)',
      'Emerald',
    ],
    [
      '★ Karambit | Doppler Black Pearl (Factory New)',
      '★ Karambit | Doppler (Factory New)',
      'Black Pearl',
    ],
    ['Glock-18 | Gamma Doppler Phase 2', 'Glock-18 | Gamma Doppler', 'Phase 2'],
    ['★ Karambit | Doppler (Factory New)', '★ Karambit | Doppler (Factory New)', null],
    ['Sticker | Ruby Doppelganger', 'Sticker | Ruby Doppelganger', null],
    ['AK-47 | Redline (Field-Tested)', 'AK-47 | Redline (Field-Tested)', null],
  ] as const) {
    assert.deepEqual(splitPhase(name), { marketHashName, phase })
  }
  assert.equal(hasPhases('★ Karambit | Doppler (Factory New)'), true)
  assert.equal(hasPhases('AK-47 | Redline (Field-Tested)'), false)
})
