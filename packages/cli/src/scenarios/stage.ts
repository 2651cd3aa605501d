// What a scenario acts on: the account in the service, and the control interface of the sandbox.
import type { BehalfOptions } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { CommandError } from '../failure.ts'
import type { Account, Tradepost } from '../sdk.ts'

export interface Scenario {
  readonly what: string
  /** What of the data it takes. */
  readonly takes: readonly (keyof OwnData)[]
  /** Returns the id of what the event is about. */
  run(stage: Stage): Promise<string>
}

export interface Stage {
  readonly environment: Environment
  readonly tradepost: Tradepost
  /** The merchant, or the sub-user that the command is for. */
  readonly account: Account
  readonly sandboxUrl: string
  /** What the developer wants of it. */
  readonly data: OwnData & BehalfOptions
}

export interface OwnData {
  /** US dollars, with two decimals. */
  readonly amount?: string
  readonly externalId?: string
  /** Where a withdrawal goes. */
  readonly to?: string
}

export async function control(
  { environment, sandboxUrl }: Stage,
  path: string,
  body: object = {},
): Promise<void> {
  const { signal } = environment
  const response = await fetch(`${sandboxUrl}/control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  if (response.ok) return
  const { error = `status ${response.status}` } = (await response.json().catch(() => ({}))) as {
    error?: string
  }
  throw new CommandError(`The sandbox refuses ${path}: ${error}`)
}
