// `npm run drill:restore`: an installation is copied, goes on, and is destroyed. It is restored as the
// runbook says, and its merchant sends again what was lost. What the drill makes is gone when it ends.
import assert from 'node:assert/strict'
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { readOptions } from '../../tools/options.ts'
import type { OwnInstallation } from '../endurance/worlds/installation.ts'
import { createSay, createShutdown } from '../support/long-run.ts'
import { beginBeforeCopy, goOnAfterCopy, untilCredited } from './money.ts'
import { payAgain } from './payments.ts'
import {
  countOrders,
  explainUnmatched,
  listOpenCases,
  untilAllAreClosed,
  untilMarketsOpen,
  untilReady,
} from './proofs.ts'
import { auditBooks, copyDatabase, destroy, endArchive, restoreDatabase } from './restoring.ts'
import { startSurrounded } from './surroundings.ts'
import { buyAfterCopy, buyAnew, buyBeforeCopy, buyBetween, sendAllAgain } from './trades.ts'

const { values } = readOptions({
  name: 'npm run drill:restore',
  about:
    'Destroys an installation after a copy, restores it, and checks that nothing is bought or paid twice.',
  options: {
    buys: { kind: 'whole', byDefault: 20, from: 3, to: 100, about: 'that the restore loses' },
    'without-intents': {
      kind: 'flag',
      about: 'destroys what the workers had noted, too: lost orders have no name then',
    },
  },
})
const hasIntents = !values['without-intents']

const say = createSay()
// Each wait has a limit of its own; together they must not hold up a schedule.
const shutdown = createShutdown({ mostMinutes: 20 })

try {
  say('starting two api and two worker processes, a chain and the signer')
  const starting = startSurrounded()
  // Also by a signal in the middle of it: it cleans up after itself where it fails.
  shutdown.steps.push(async () => (await starting.catch(() => null))?.close())
  await drill(await starting)
  await shutdown.end(0)
} catch (error) {
  await shutdown.fail(error)
}

async function drill(around: OwnInstallation): Promise<void> {
  await buyBeforeCopy(around)
  const money = await beginBeforeCopy(around)
  say('copying')
  await copyDatabase(around)
  const between = await buyBetween(around)
  await endArchive(around)
  say('trading and paying on: all of it will be lost')
  const lost = await buyAfterCopy(around, values.buys)
  const paid = await goOnAfterCopy(around, money)
  const orders = await countOrders(around)

  say('destroying everything')
  const destroyedAt = performance.now()
  const minutes = (): string => ((performance.now() - destroyedAt) / 60_000).toFixed(1)
  await destroy(around)
  const { postgres, settings } = await restoreDatabase(around, { hasIntents })
  shutdown.steps.push(postgres.stop)
  const db = openDb({ url: postgres.url, poolSize: 2, applicationName: 'tradepost drill' })
  shutdown.steps.push(() => db.close())
  const restoredAfter = minutes()
  say('restored, and the books are right')
  await around.workers.revive(settings)
  await untilAllAreClosed(db)
  await around.apis.revive(settings)
  await untilReady(around)
  const readyAfter = minutes()
  say('the service is ready')
  await untilMarketsOpen(db)
  const openAfter = minutes()
  say('the markets are compared: what waits is placed')

  for (const { receipt } of between) {
    await around.merchant.get('getMerchantTrade', { params: { tradeId: receipt.id } })
  }
  await sendAllAgain(around, lost, { hasIntents })
  await untilCredited(around, money)
  const explained = await explainUnmatched({ db, settings }, lost, { hasIntents })
  const sentAfter = minutes()
  say(`sent again: ${explained}`)
  await payAgain(around, paid, { db, settings })
  const paidAfter = minutes()
  say('the payments are compared: withdrawals leave again')
  const anew = await buyAnew(around)
  assert.equal(await countOrders(around), orders + anew, 'nothing was bought a second time')
  await auditBooks(postgres)
  for (const { kind, ...about } of await listOpenCases(db))
    say(`open for a person: ${kind} ${JSON.stringify(about)}`)
  console.log(
    `minutes after the loss: restored ${restoredAfter}, ready ${readyAfter}, markets open ${openAfter}, ` +
      `all sent again ${sentAfter}, payments open ${paidAfter}`,
  )
}
