// What a process notes of what it sends, and the gates that it decides on after a failover.
import { join } from 'node:path'
import { areOurAddresses, skipAddresses } from '#chains'
import type { Queryable } from '#infra/database/db'
import { type Intents, openIntents } from '#infra/database/intents'
import { readHistory } from '#infra/database/recovery-mark'
import { startPollLoop } from '#infra/jobs/poll-loop'
import type { Address } from '#kernel/chain'
import { findLostAttempts } from '#outbound'
import {
  BOTS,
  createConfirmation,
  type Gated,
  type GateName,
  type KeepingDeps,
  PAYMENTS,
} from '#reconciliation'
import type { ProcessContext } from '../processes.ts'
import type { Resources } from '../resources.ts'

export type Noting = Resources & { readonly intents: Intents }

/** What a worker may send for: everything. */
export const allGates = ({ config: { timing }, adapters }: Resources): Gated[] => [
  ...adapters.markets.map(({ statements: { id, traits } }) => ({ id, settleMs: traits.settleMs })),
  { id: BOTS, settleMs: timing.selling.settleMs },
  paymentsGate({ timing }),
]

/** What answers requests hands out addresses, which belong to payments. */
export const paymentsGate = ({ timing }: Pick<Resources['config'], 'timing'>): Gated => ({
  id: PAYMENTS,
  settleMs: timing.chains.settleMs,
})

/** Stopped after everything that sends. */
export async function openProcessIntents(
  { config, lifecycle }: ProcessContext,
  { db, clock, log }: Resources,
  gates: readonly Gated[],
): Promise<Intents> {
  const intents = await openIntents({
    ...{ db, clock, folder: join(config.dataDir, 'intents'), gates: gates.map(({ id }) => id) },
    onBroken: (error) =>
      log.error(
        { alarm: 'intents_not_noted', err: error },
        'what is sent is not noted: the next failover closes the gates',
      ),
  })
  lifecycle.onStop('intents', () => intents.stop())
  return intents
}

/** `gates`: those that this process decides on. */
export function keepingDeps(
  { db, clock, log, metrics, intents }: Noting,
  gates: readonly Gated[],
): KeepingDeps {
  const closings = metrics.counter(
    'placing_gate_closings_total',
    'Times that purchases at a market, sells (bots) or payments were held back, because the database may have lost what was sent',
    ['market'],
  )
  for (const { id } of gates) closings.labels(id).inc(0)
  return {
    ...{ db, clock, skipAddresses, intents, markets: gates },
    lost: { payments: findLostAttempts, addresses: findLostAddresses },
    onClosed: (fields) => {
      closings.labels(fields.market).inc()
      log.error(
        { alarm: 'placing_gate_closed', ...fields },
        'the database may be older than what was sent: purchases, sells or payments are held back',
      )
    },
    onLostOrders: (orders) =>
      log.error(
        { event: 'orders_lost', orders },
        'orders were sent whose trades the database has lost: merchants read them and buy again',
      ),
    onOpened: (market: GateName, { followed, resumed }) =>
      log.warn(
        { event: 'placing_gate_opened', market, followed, resumed },
        'the files of the silent processes say all that they sent',
      ),
    onKeptOpen: (market: GateName) =>
      log.info(
        { event: 'placing_gate_kept_open', market },
        'the database changed its history and has all that was sent',
      ),
  }
}

async function findLostAddresses(db: Queryable, addresses: readonly string[]): Promise<string[]> {
  const areOurs = await areOurAddresses(db, addresses as readonly Address[])
  return addresses.filter((_, i) => !areOurs[i])
}

const CONFIRM_EVERY_MS = 1000

/** For a process that runs no jobs. */
export function confirmHistory(context: ProcessContext, parts: Noting): void {
  const { config, db, log, intents } = parts
  const confirm = createConfirmation(keepingDeps(parts, [paymentsGate(config)]))
  const loop = startPollLoop({
    pollMs: CONFIRM_EVERY_MS,
    restMs: 0,
    run: async () => {
      await confirm(await readHistory(db))
      await intents.beat()
    },
    onError: (error) => log.warn({ err: error }, 'the history of the database is not confirmed'),
  })
  context.lifecycle.onStop('confirmation of the history', () => loop.stop())
}
