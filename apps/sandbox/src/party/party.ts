import type { FastifyInstance } from 'fastify'
import type { DatasetKeeper } from '../dataset-keeper.ts'
import type { SocketRoute } from '../http/sockets.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Environment } from '../settings.ts'
import type { Store } from '../store/store.ts'
import type { Switches } from './switches.ts'

/** What every party is made from. */
export interface PartyContext {
  /** A party reads its own settings from it, with the readers of `settings.ts`. */
  readonly environment: Environment
  readonly clock: Clock
  readonly seed: number
  readonly holdMs: number
  /** A party keeps its state in tables and settings of its own names. */
  readonly store: Store
  /** For what a party's own programs keep; null: nothing outlives the process. */
  readonly dataDir: string | null
  readonly keeper: DatasetKeeper
  readonly switches: Switches
  /** Aborted when the sandbox closes. */
  readonly stop: AbortSignal
}

/**
 * An external system that the sandbox simulates. Everything about a party is in its folder, which exports
 * one function that creates it; `parties.ts` lists these functions and nothing else names a party.
 */
export interface Party {
  readonly protocols: readonly Protocol[]
  /** Adds its routes below /control. */
  readonly controls?: (app: FastifyInstance) => void
  /** Its fields of GET /control/state. */
  readonly state?: () => Readonly<Record<string, unknown>>
  /** Modules of the console, in the order in which their cards and tabs are shown. */
  readonly console?: readonly string[]
  /** What happens at a time of its own, such as the end of a hold. */
  readonly agenda?: { runDue(): void; nextDueMs(): number | null }
  readonly close?: () => void | Promise<void>
}

/** One wire protocol of a party. */
export interface Protocol {
  readonly prefix: `/${string}`
  /** The switch that takes the protocol offline or slows it down; absent when there is none. */
  readonly switchId?: string
  readonly routes: (app: FastifyInstance) => void
  readonly socket?: SocketRoute
}
