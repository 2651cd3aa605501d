import { test } from 'node:test'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { manualClock } from '../../apps/server/src/infra/testing/clock.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { createDispatch } from '../../apps/server/src/modules/events/outbox/index.ts'
import { applyStep } from '../../apps/server/src/modules/trading/buying/step.ts'
import { givenBuyer, givenListing, testBuy } from '../../apps/server/src/modules/trading/buying/testing/buyers.ts'
import { readTrades } from '../../apps/server/src/modules/trading/trades/index.ts'
import { givenManyTrades } from '../../apps/server/src/modules/trading/trades/testing/many-trades.ts'
import { foldFigures } from '../../apps/server/src/operations/figures/fold.ts'
import { givenDashboard, logInTo, pagesOf, settled, violations } from '../support/dashboard.ts'

const dashboard = givenDashboard()
const SEED = (table: string, tenant: string) => `insert into operations.${table} (${tenant ? 'tenant_id, ' : ''}unit, at, figure, label, count, usd_cents)
   select ${tenant ? `'${tenant}', ` : ''}u.unit, u.at, l.figure, l.label, 10 + (random() * l.n)::int, case when l.figure in ('volume','fees','penalties','refunds','deposits','payouts') then (random() * 100 * l.n)::int else 0 end
   from (
     select 'day' unit, date_trunc('day', '2026-11-29'::timestamptz, 'UTC') - d * interval '1 day' at from generate_series(0, 400) d
     union all
     select 'hour', date_trunc('hour', '2026-11-29'::timestamptz, 'UTC') - h * interval '1 hour' from generate_series(0, 216) h) u
   cross join (
     select 'ended' figure, 'completed' label, 900 n union all select 'ended', 'failed', 60 union all select 'ended', 'declined', 20 union all select 'ended', 'reverted', 5
     union all select 'begun', 'buy', 900
     union all select unnest(array['volume', 'deposits', 'payouts']), '', 20000
     union all select unnest(array['fees', 'penalties']), '', 900
     union all select 'items', m || ' completed', 900 from unnest(array['market_a', 'market_b']) m
     union all select 'items', m || ' failed', 50 from unnest(array['market_a', 'market_b']) m
     union all select 'refunds', c, 30 from unnest(array['BUYER_TRADE_RESTRICTED','LISTING_UNAVAILABLE','OFFER_NOT_ACCEPTED','reverted_by_supplier']) c
     union all select 'offer', b::text, 30 from generate_series(10, 22) b
     union all select 'delivery', b::text, 30 from generate_series(20, 34) b
     union all select 'attempts', 'succeeded', 2000 union all select 'attempts', 'failed', 30) l
   on conflict do nothing`
const INTENT = sql('t.i', `insert into buying.supplier_order (item_id, market, custom_id, state, sent_at) values ($1::uuid, 'market_b', $1::uuid::text, 'placed', now())`)

test('shots', async (t) => {
  const { server, browser, database } = dashboard
  const { db } = database
  const now = server.clock.now()
  const merchant = await server.person()
  const partner = await server.partner()
  const admin = await server.person('administrator')
  const clock = manualClock(new Date(now.getTime() - 3 * 3600_000))
  const buyer = await givenBuyer(db, { tenantId: merchant.accountId, balance: 100_000n })
  const made: string[] = []
  for (const path of [
    [['pending', 1], ['active', 40], ['hold', 300], ['completed', 3600]],
    [['pending', 1], ['failed', 3]],
  ] as const) {
    const id = await givenListing(db, { priceMills: 10_000n })
    const { tradeId } = await testBuy({ db, clock })(buyer, { requestId: newId(), externalId: null, tradeUrl: null, items: [{ listing: { id }, maxPrice: cents(9999n), externalId: 'line' }] })
    const [trade] = await readTrades(db, [tradeId])
    const item = trade!.items[0]!
    await db.query(INTENT, [item.id])
    let from = 'initiated'
    for (const [to, s] of path) {
      clock.advance(s * 1000)
      await db.transaction((tx) => applyStep(tx, { id: item.id, price: item.price, status: from as never }, { from, to, ...(to === 'active' && { offerId: '9393000077' }), ...(to === 'failed' && { failure: 'BUYER_TRADE_RESTRICTED' }) } as never, { at: clock.now(), dueAt: clock.now(), holdMs: 1000 }))
      from = to
    }
    made.push(tradeId)
  }
  await createDispatch({ db, clock, consumers: [] })()
  await foldFigures(db, { at: now, signal: new AbortController().signal })
  await givenManyTrades(db, { tenantId: merchant.accountId, count: 2000, from: new Date(now.getTime() - 20 * 86400_000) })
  await db.script(SEED('service_figure', ''))
  if (partner) { await db.script(SEED('partner_figure', partner.accountId)); await givenManyTrades(db, { tenantId: partner.accountId, count: 500, from: new Date(now.getTime() - 20 * 86400_000) }) }
  const shoot = async (email: string, pages: readonly (readonly [string, string])[]) => {
    const { page } = await logInTo(t, { server, browser, email })
    for (const [width, scheme] of [[1440, 'light'], [1440, 'dark'], [390, 'light'], [390, 'dark']] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme: scheme })
      for (const [name, path] of pages) {
        await page.goto(`${pagesOf(server)}/${path}`)
        await settled(page)
        await page.waitForLoadState('networkidle')
        if (name.startsWith('trade')) for (const s of (await page.locator('summary').all()).slice(0, 9)) if (width === 1440) await s.click().catch(() => {})
        await page.screenshot({ path: `/tmp/e-shots/${name}-${width}-${scheme}.png`, fullPage: true })
        const bad = await violations(page, { isDarkToo: false })
        if (bad.length) console.log(name, width, scheme, JSON.stringify(bad).slice(0, 600))
        const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        if (over as number > 0) console.log('OVERFLOW', name, width, over)
      }
    }
  }
  await shoot(admin.email, [['admin', 'admin/overview'], ['admin-month', 'admin/overview?span=month'], ['trade-admin', `admin/trades/${made[0]}`], ['trade-admin-failed', `admin/trades/${made[1]}`]])
  await shoot(merchant.email, [['merchant', 'overview'], ['trade', `trades/${made[0]}`], ['trade-failed', `trades/${made[1]}`]])
  if (partner) await shoot(partner.email, [['partner', 'partner']])
})
