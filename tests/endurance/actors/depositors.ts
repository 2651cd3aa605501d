// Users who deposit through the payment gateway until they are stopped.
import { createClient } from '../../support/client.ts'
import { type PaidOrder, payByGateway } from '../../support/deposits.ts'
import { type Dice, pickWith } from '../dice.ts'
import type { Installation } from '../worlds/installation.ts'
import { startClients } from './clients.ts'
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
  throwDice: Dice,
): Depositors {
  const paid: PaidOrder[] = []
  const pick = pickWith(throwDice)
  const clients = apis
    .baseUrls()
    .map((baseUrl) => createClient({ baseUrl, apiKey: merchant.apiKey }))
  const { stop } = startClients({
    ...{ count: CLIENTS, meanPauseMs: MEAN_PAUSE_MS, throwDice },
    act: async () => {
      const payment = { behalf: pick(users).name, amount: (10 + throwDice() * 400).toFixed(2) }
      const order = { ...payment, deadlineMs: DEADLINE_MS, control: control.call }
      paid.push(await payByGateway(pick(clients), order))
    },
    onCutOff: () => {},
  })
  return { paid, stop }
}
