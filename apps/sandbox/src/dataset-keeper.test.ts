import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createDataset } from './dataset/index.ts'
import type { Dataset, DatasetOptions, Listing } from './dataset/types.ts'
import { type DatasetKeeper, keepDataset } from './dataset-keeper.ts'
import { openSqliteStore } from './store/sqlite-store.ts'
import type { Store } from './store/store.ts'
import { START_MS } from './testing/harness.ts'
import { createTinyDataset } from './testing/tiny-dataset.ts'

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-test-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

function keep(store: Store, create: (options: DatasetOptions) => Dataset): DatasetKeeper {
  return keepDataset({
    store,
    createDataset: create,
    seed: 7,
    listingCount: 3_000,
    nowMs: START_MS,
  })
}

function listings({ dataset }: DatasetKeeper): Map<string, Listing> {
  const all = [...dataset.listings('market_a'), ...dataset.listings('market_b')]
  return new Map(all.map((listing) => [`${listing.market}:${listing.id}`, listing]))
}

/** A day in the life: other buyers, orders that succeed and fail, and a person at the controls. */
function live(keeper: DatasetKeeper, rounds: number): void {
  for (let round = 0; round < rounds; round += 1) {
    keeper.tick(START_MS + round * 250)
    const [bought, failed, moved, removed] = [...keeper.dataset.listings('market_a')]
    assert.ok(bought && failed && moved && removed)
    keeper.take('market_a', bought.id)
    keeper.take('market_a', failed.id)
    keeper.tick(START_MS + round * 250 + 100)
    keeper.putBack(failed)
    keeper.setPrice('market_a', moved.id, moved.priceMills + 10, 'control')
    keeper.remove('market_a', removed.id, 'control')
  }
}

for (const [name, create] of [
  ['the real dataset', createDataset],
  ['the tiny dataset', createTinyDataset],
] as const) {
  test(`${name} is the same after its steps were repeated, and continues the same`, async (t) => {
    const dataDir = await folder(t)
    const firstStore = openSqliteStore(dataDir)
    const first = keep(firstStore, create)
    live(first, 30)
    first.save()
    live(first, 40)
    const before = listings(first)
    // Not saved again: what a kill leaves behind is the last whole copy and the steps since.
    firstStore.close()

    const secondStore = openSqliteStore(dataDir)
    t.after(() => secondStore.close())
    const second = keep(secondStore, create)
    assert.deepEqual(listings(second), before)

    live(second, 5)
    const ids = new Set(before.keys())
    const arrivals = [...listings(second).keys()].filter((id) => !ids.has(id))
    assert.ok(arrivals.length > 0)
  })
}

test('an unknown listing is neither taken nor repriced nor removed, and stores no step', async (t) => {
  const store = openSqliteStore(await folder(t))
  t.after(() => store.close())
  const keeper = keep(store, createTinyDataset)
  assert.equal(keeper.take('market_a', '1'), false)
  assert.equal(keeper.setPrice('market_a', '1', 5, 'control'), null)
  assert.equal(keeper.remove('market_a', '1', 'control'), false)
  assert.deepEqual([...store.table('dataset_step').rows()], [])
})

test('after many steps the dataset is stored whole and the steps are deleted', async (t) => {
  const store = openSqliteStore(await folder(t))
  t.after(() => store.close())
  const keeper = keepDataset({
    store,
    createDataset: createTinyDataset,
    seed: 7,
    listingCount: 10,
    nowMs: START_MS,
  })
  const [listing] = [...keeper.dataset.listings('market_a')]
  assert.ok(listing)
  for (let step = 0; step <= 5_000; step += 1) {
    keeper.setPrice('market_a', listing.id, 100 + step, 'control')
  }
  assert.equal([...store.table('dataset_step').rows()].length, 1)
  assert.notEqual(store.readSetting('dataset'), null)
})
