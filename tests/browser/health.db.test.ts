// What the overview of an administrator says of the service itself, in a real browser.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createRests } from '../../apps/server/src/adapters/game-platform/rests.ts'
import { silentLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { writeTradeUrlSource } from '../../apps/server/src/modules/accounts/identity/index.ts'
import { noBrowser } from '../support/browser.ts'
import { givenDashboard, logInTo, pagesOf, violations } from '../support/dashboard.ts'

const dashboard = givenDashboard()

it('an administrator sees who is asked about trade URLs while no bot is, and what the platform refuses', {
  skip: noBrowser,
}, async (t) => {
  const { server, browser, database } = dashboard
  const { db } = database
  const { email } = await server.person('administrator')
  const { page } = await logInTo(t, { server, browser, email })
  const open = () => page.goto(`${pagesOf(server)}/admin/overview`)
  await open()
  await page.getByText('Trade URLs cannot be looked up yet: no worker has run.').waitFor()

  const rests = createRests({
    ...{ db, clock: server.clock, log: silentLog, metrics: createMetrics(), restMs: 60_000 },
    countBots: async () => 3,
  })
  await rests.refused('inventory', null)
  await writeTradeUrlSource(db, 'none')
  await open()
  await page.getByText('Trade URLs cannot be looked up: there are no bots.').waitFor()
  await page.getByText('The game platform refuses our calls of the kind inventory.').waitFor()
  assert.deepEqual(await violations(page, { isDarkToo: true }), [])

  await rests.served('inventory', null, server.clock.now().getTime() + 60_000)
  await writeTradeUrlSource(db, 'bots')
  await open()
  await page.getByRole('table').first().waitFor()
  assert.equal(await page.getByText(/Trade URLs|refuses our calls/).count(), 0)
})

it('an administrator sees which process is gone, what is held back, and how the process that answers does', {
  skip: noBrowser,
}, async (t) => {
  const { server, browser, database } = dashboard
  const { email } = await server.person('administrator')
  const { page } = await logInTo(t, { server, browser, email })
  await database.db.script(`insert into infra.heartbeat (job, process_id, started_at, beat_at)
      values ('api', 'killed', '2026-11-20', '2026-11-20');
    insert into reconciliation.placing_gate (market, history, closed_at, item_ids)
      values ('payments', '7/1', '2026-11-20', '{}')`)
  await page.goto(`${pagesOf(server)}/admin/overview`)
  await page.getByText(/The process killed ended without shutting down/).waitFor()
  await page.getByText(/^payments is held back until it is compared/).waitFor()
  // Where it is slow, it is an alarm as well.
  const process = page.getByText(/requests? in five minutes, 0 failed; .*event loop \d+ ms late\./)
  await process.first().waitFor()
  assert.deepEqual(await violations(page, { isDarkToo: true }), [])
})
