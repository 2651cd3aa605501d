// Random histories of merchants, users, suppliers and kills, each step compared with a model that knows
// only what was promised. MODEL_SEED, MODEL_RUNS and MODEL_STEPS, as in
// `MODEL_STEPS=80 npm test -- tests/endurance/model/model.test.ts`, repeat or prolong them; the seed of a run
// is in its name.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { givenOnce } from '../../support/given-once.ts'
import { auditBooks } from '../../support/stack.ts'
import { TERMINAL } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import { type Installation, startOnSharedPostgres } from '../worlds/installation.ts'
import { anyCommand, untilOffered } from './commands.ts'
import { compare, type Environment, endFaults, newHistory, openSupplies } from './environment.ts'
import { agreeOnEvents, agreeOnFailures, type Model, newModel } from './model.ts'

const SEED = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31))
const RUNS = Number(process.env.MODEL_RUNS ?? 1)
const STEPS = Number(process.env.MODEL_STEPS ?? 40)

let installation: Installation
let supplies: Environment['supplies']

givenOnce(
  async () => {
    installation = await startOnSharedPostgres()
    supplies = await openSupplies(installation)
  },
  async () => installation?.close(),
)

describe(`random histories (seed ${SEED})`, () => {
  it('agree with the model after each step, and end as it says', async () => {
    const histories = fc.asyncProperty(
      fc.commands([...anyCommand], { maxCommands: STEPS, size: 'max' }),
      async (commands) => {
        const { environment, accounts } = await newHistory(installation, supplies)
        const model = newModel(accounts)
        await fc.asyncModelRun(() => ({ model, real: environment }), commands)
        await end(model, environment)
      },
    )
    // A history takes its time, so a failure is not shrunk: its seed repeats it.
    await fc.assert(histories, { seed: SEED, numRuns: RUNS, endOnFailure: true, verbose: 1 })
  })

  it('leave clean books', () => auditBooks(installation))

  it('leave at most one order for each item at the suppliers, and none besides', async () => {
    const offers = await installation.sandbox.control.offers()
    const ids = offers.flatMap(({ customId }) => customId ?? [])
    assert.equal(new Set(ids).size, ids.length)
  })
})

/** Faults are over, every awaited buyer accepts: everything ends, and every event was sent. */
async function end(model: Model, environment: Environment): Promise<void> {
  await endFaults(environment)
  for (const trade of model.trades.values()) {
    if (trade.token !== 'manual00') continue
    for (const offerId of await untilOffered(environment, trade)) {
      await installation.sandbox.control.moveOffer(offerId, 'accept').catch(() => null)
    }
  }
  await until(
    'every trade has ended',
    async () => {
      await compare(model, environment)
      const open = [...model.trades.values()].filter(
        ({ last }) => !TERMINAL.includes(last?.status ?? ''),
      )
      if (open.length === 0) return true
      throw new Error(`${open.length} go on, the first: ${JSON.stringify(open[0]?.last)}`)
    },
    { deadlineMs: 90_000, everyMs: 250 },
  )
  agreeOnFailures(model)
  for (const trade of model.trades.values()) {
    await until(
      `all of ${trade.externalId} was sent`,
      () => {
        agreeOnEvents(trade, installation.webhooks.typesOf(trade.id))
        return true
      },
      { everyMs: 100 },
    )
  }
}
