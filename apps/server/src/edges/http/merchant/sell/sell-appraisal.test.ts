import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { CatalogueView } from '#catalog'
import { itemIdOf } from '#catalog'
import { cents, type Mills, mills } from '#kernel/money'
import type { Policy } from '#selling'
import { manualClock } from '../../../../infra/testing/clock.ts'
import { createItemFinder, createSellPrices } from './sell-appraisal.ts'

const KNIFE = '★ Karambit | Doppler (Factory New)'
const RIFLE = 'AK-47 | Redline (Field-Tested)'

interface Thing {
  readonly id: string
  readonly marketHashName: string
  readonly phase: string | null
  readonly paintIndex: number
  readonly referenceMills: Mills
  readonly quotable: boolean
  readonly volume: number
}

const thing = (
  marketHashName: string,
  phase: string | null,
  paintIndex: number,
  usd: bigint,
): Thing => ({
  id: itemIdOf(marketHashName, phase),
  marketHashName,
  phase,
  paintIndex,
  referenceMills: mills(usd * 1000n),
  quotable: true,
  volume: 100,
})
const THINGS = [
  thing(RIFLE, null, 282, 10n),
  thing(KNIFE, 'Phase 1', 418, 800n),
  thing(KNIFE, 'Ruby', 415, 5000n),
  thing('Unpriced | Thing', null, 1, 0n),
]

/** A catalogue of four things: the parts of a view that pricing looks at. */
const view = {
  version: 1,
  find: (id: string) => {
    const item = THINGS.find((one) => one.id === id)
    return item ? { item } : null
  },
  list: () => ({ entries: THINGS.map((item) => ({ item })), total: THINGS.length }),
} as unknown as CatalogueView

const POLICY: Policy = {
  version: 1n,
  buying: true,
  leastQuote: cents(10n),
  mostQuote: cents(1_000_000n),
  ...{ offerSharePercent: 50, waitingLimit: 100 },
  bands: [{ leastVolume: 0, discountBps: 2000 }],
  items: new Map(),
}

describe('an asset', () => {
  const find = createItemFinder(view)

  it('is known by its name, and where phases differ by its paint too', () => {
    assert.equal(find(RIFLE, null)?.id, THINGS[0]?.id)
    assert.equal(find(KNIFE, 418)?.phase, 'Phase 1')
    assert.equal(find(KNIFE, 415)?.phase, 'Ruby')
  })

  it('of no known paint is no phase at all: a guess would be dear', () => {
    assert.equal(find(KNIFE, null), null)
    assert.equal(find(KNIFE, 9999), null)
    assert.equal(find('Unheard of', 415), null)
  })
})

it('the prices of all names are one answer; a name of several phases shows the least', async () => {
  const prices = createSellPrices({ view, clock: manualClock() })
  const whole = (await prices(POLICY)).respond('00000000-0000-7000-8000-000000000000', {
    'accept-encoding': 'gzip',
  })
  const bytes = Buffer.concat(whole.body as readonly Buffer[])
  const { data } = JSON.parse(gunzipSync(bytes).toString()) as { data: unknown }
  assert.deepEqual(data, [
    { marketHashName: RIFLE, deposit: 8, accepted: true },
    { marketHashName: KNIFE, deposit: 640, accepted: true },
    { marketHashName: 'Unpriced | Thing', deposit: 0, accepted: false },
  ])
})
