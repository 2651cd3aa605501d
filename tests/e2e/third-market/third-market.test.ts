// A third market, added to a copy of this checkout by the list of `docs/adding.md` and nothing else.
//
// What the specification itself fixes to two markets, and this test leaves so, is points 7 and 8 of that
// list: a supplier's own id as listing id (LISTING_RAW_ID_PATTERN), and the names of markets in the partner
// interface (PARTNER_MARKETS, and those of v1 in `wire/partner/market.ts`).
import assert from 'node:assert/strict'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { testDatabase } from '../../../apps/server/src/infra/testing/database.ts'
import { ROOT } from '../../support/child.ts'
import { metricOf } from '../../support/server.ts'
import { type Stack, startStack } from '../../support/stack.ts'
import { centsOf, onlyItem, tradeUrl, untilEnded } from '../../support/trading.ts'
import { until } from '../../support/until.ts'

const SERVER = 'apps/server/src'
const SANDBOX = 'apps/sandbox/src'

let root: string
let stack: Stack

before(async () => {
  root = copyWith(
    // 1 and 2: the folder of the adapter.
    (path) => reexport(path(`${SERVER}/adapters/market-c/definition.ts`), 'market-c/definition.ts'),
    // 3: one import and one entry.
    (path) =>
      edit(path(`${SERVER}/adapters/markets.ts`), [
        [
          'import { marketB }',
          "import { marketC } from './market-c/definition.ts'\nimport { marketB }",
        ],
        ['[marketA, marketB]', '[marketA, marketB, marketC]'],
      ]),
    // 4: its row.
    (path) =>
      writeFileSync(
        path('apps/server/migrations/9000_market_c.sql'),
        "-- bears: none\ninsert into catalog.market (id) values ('market_c');\n",
      ),
    // 5: the sandbox plays it.
    (path) => reexport(path(`${SANDBOX}/market-c/index.ts`), 'party.ts'),
    (path) =>
      edit(path(`${SANDBOX}/parties.ts`), [
        [
          'import { createMail }',
          "import { createMarketC } from './market-c/index.ts'\nimport { createMail }",
        ],
        ['    createFx(context),', '    createFx(context),\n    createMarketC(context),'],
      ]),
  )
  stack = await startStack(await testDatabase({ poolSize: 2 }), {}, { root })
})
after(async () => {
  await stack?.close()
  rmSync(root, { recursive: true, force: true })
})

it('a market that is added by the list sells', async () => {
  const { merchant } = stack
  const listing = await until('a listing of market C is for sale', async () => {
    const { items } = await merchant.get('listMarketListings', { query: { market: 'market_c' } })
    return items[0]
  })
  const receipt = await merchant.get('buy', {
    body: { items: [{ listingId: listing.id, maxPrice: '500.00' }], tradeUrl: tradeUrl() },
  })
  const trade = await untilEnded(merchant, receipt.id)
  assert.equal(trade.status, 'completed')
  assert.equal(onlyItem(trade).marketHashName, listing.marketHashName)
  assert.equal(centsOf(receipt.totalPrice), centsOf(listing.price))
})

it('its account, its health and its status are kept like those of the others', async () => {
  const status = await until('market C is operational', async () => {
    const { markets } = await stack.merchant.get('getServiceStatus')
    return markets.find(({ market, status }) => market === 'market_c' && status === 'operational')
  })
  assert.equal(status.market, 'market_c')
  const online = await metricOf(stack.server(), 'tradepost_market_online', { market: 'market_c' })
  assert.equal(online, 1)
})

type Path = (relative: string) => string

/** A checkout of links to this one, whose files of server and sandbox are its own. */
function copyWith(...changes: readonly ((path: Path) => void)[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'tradepost-third-market-'))
  const path: Path = (relative) => join(copy, relative)
  linkAll('', ['apps', '.git'], path)
  linkAll('apps', ['server', 'sandbox'], path)
  for (const app of ['server', 'sandbox']) {
    linkAll(`apps/${app}`, ['src', 'migrations'], path)
    cpSync(join(ROOT, `apps/${app}/src`), path(`apps/${app}/src`), { recursive: true })
  }
  cpSync(join(ROOT, 'apps/server/migrations'), path('apps/server/migrations'), { recursive: true })
  for (const change of changes) change(path)
  return copy
}

function linkAll(folder: string, except: readonly string[], path: Path): void {
  mkdirSync(path(folder), { recursive: true })
  for (const name of readdirSync(join(ROOT, folder))) {
    if (!except.includes(name)) symlinkSync(join(ROOT, folder, name), path(join(folder, name)))
  }
}

function edit(file: string, changes: readonly (readonly [from: string, to: string])[]): void {
  let text = readFileSync(file, 'utf8')
  for (const [from, to] of changes) {
    assert.ok(text.includes(from), `${file} has “${from}”`)
    text = text.replace(from, to)
  }
  writeFileSync(file, text)
}

/** The fixture is compiled and checked where it is. */
function reexport(file: string, fixture: string): void {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `export * from '${join(import.meta.dirname, fixture)}'\n`)
}
