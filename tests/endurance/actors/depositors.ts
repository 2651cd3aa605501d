// Users who deposit through the payment gateway until they are stopped.
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '../../support/client.ts'
import { type PaidOrder, payByGateway } from '../../support/deposits.ts'
import type { Installation } from '../worlds/installation.ts'
import type { User } from './users.ts'

export interface Depositors {
  /** Those whose payment was acknowledged. */
  readonly paid: readonly PaidOrder[]
  stop(): Promise<void>
}

const CLIENTS = 2
const MEAN_PAUSE_MS = 1500
const DEADLINE_MS = 10_000

export function startDepositors(
  { apis, merchant, sandbox: { control } }: Installation,
  users: readonly User[],
  throwDice: () => number,
): Depositors {
  const paid: PaidOrder[] = []
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(throwDice() * values.length)] as Value
  const clients = apis
    .baseUrls()
    .map((baseUrl) => createClient({ baseUrl, apiKey: merchant.apiKey }))
  let isStopped = false
  let broken: unknown = null
  const goOn = async (): Promise<void> => {
    while (!isStopped) {
      try {
        const payment = { behalf: pick(users).name, amount: (10 + throwDice() * 400).toFixed(2) }
        const order = { ...payment, deadlineMs: DEADLINE_MS, control: control.call }
        paid.push(await payByGateway(pick(clients), order))
      } catch (error) {
        // A process stands still, or the gateway does; an answer against the contract is a bug.
        if (error instanceof assert.AssertionError) {
          broken = error
          return
        }
      }
      await wait(throwDice() * 2 * MEAN_PAUSE_MS)
    }
  }
  const going = Array.from({ length: CLIENTS }, goOn)
  return {
    paid,
    stop: async () => {
      isStopped = true
      await Promise.all(going)
      if (broken !== null) throw broken
    },
  }
}
