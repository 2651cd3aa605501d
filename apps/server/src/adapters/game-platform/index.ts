// The game platform: the public pages of its community site, and our own accounts on it.

import type { ReserveSlot } from '#infra/database/call-slots'
import type { Db } from '#infra/database/db'
import type { HttpClient } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import type { SecretBox } from '#infra/process/secrets'
import type { GamePlatform } from '#ports/identity'
import type { Bots, Inventories } from '#ports/selling'
import type { Log, Metrics } from '../shared/feed-counters.ts'
import type { GameBook } from '../shared/game-book.ts'
import type { BotSecrets } from './bot-secrets.ts'
import { createBots } from './bots.ts'
import { createBudget } from './budget.ts'
import type { CallKinds } from './call-kinds.ts'
import { createBotCalls } from './calls.ts'
import { createConfirmations } from './confirmations.ts'
import { createDrill, type PlatformDrill } from './drill.ts'
import { createRunExclusively } from './exclusive.ts'
import { createInventories } from './inventories.ts'
import { createBotMemory } from './memory.ts'
import { createOfferReader } from './offer-reader.ts'
import { createPlatformCalls } from './platform-calls.ts'
import { createRests } from './rests.ts'
import { createSessionDoubts } from './session-doubts.ts'
import { createSessions } from './sessions.ts'
import { createTradeUrls } from './trade-urls.ts'
import { createWatchBots, type WatchBots } from './watch-bots.ts'

export { type BotSecrets, parseBotSecrets } from './bot-secrets.ts'
export { CALL_KINDS, type CallKinds, readCallKinds } from './call-kinds.ts'
export type { PlatformDrill } from './drill.ts'
export type { WatchBots } from './watch-bots.ts'

export interface GamePlatformOptions {
  /** Where the site is reached: its origin, or the address under which a sandbox serves it. */
  readonly communityUrl: string
  /** Host of the addresses that users see, such as `steamcommunity.com`. */
  readonly communityHost: string
  /** Where the Web API is reached. */
  readonly apiUrl: string
  readonly http: HttpClient
  readonly db: Db
  readonly clock: Clock
  readonly reserveSlot: ReserveSlot
  readonly log: Log
  readonly metrics: Metrics
  readonly gameBook: GameBook
  readonly callKinds: CallKinds
  /** Addresses of this machine by which trade pages and inventories are read in turn; none: as any call. */
  readonly egress?: readonly string[] | undefined
  /** Null in a process that only asks how the bots are. */
  readonly acting: {
    /** Seals what must be remembered of a session. */
    readonly secrets: SecretBox
    readonly readBots: () => Promise<readonly BotSecrets[]>
  } | null
  readonly hasIntent: (words: readonly string[]) => Promise<boolean>
  readonly timing?: Partial<PlatformTiming>
}

export interface PlatformTiming {
  readonly callDeadlineMs: number
  readonly sendDeadlineMs: number
  /** How long after a send without an answer its offer may still appear. */
  readonly settleMs: number
  readonly inventoryKeptMs: number
  /** Multiplies the pace of every kind of call. */
  readonly paceScale: number
  /** How long a kind rests after the platform answered 429 for the first time. */
  readonly restMs: number
  /** How long a caller waits for a bot that is busy. */
  readonly turnPatienceMs: number
  readonly renewBeforeMs: number
  readonly staleMs: number
  readonly slowlyMs: number
}

/** For the platform itself. A send is given up late: giving up early only makes unknown outcomes. */
const TIMING: PlatformTiming = {
  callDeadlineMs: 10_000,
  sendDeadlineMs: 30_000,
  settleMs: 60_000,
  inventoryKeptMs: 60_000,
  paceScale: 1,
  restMs: 60_000,
  turnPatienceMs: 8_000,
  renewBeforeMs: 30 * 86_400_000,
  staleMs: 90_000,
  slowlyMs: 120_000,
}

export interface PlatformAdapters {
  /** With the sessions of our accounts, in a process that acts as them. */
  readonly platform: GamePlatform
  /** Whether there are such accounts. */
  readonly hasBots: () => Promise<boolean>
  readonly inventories: Inventories
  readonly bots: Bots
  readonly watchBots: WatchBots
  /** What an operator asks it with real accounts; nothing is sent. */
  readonly platformDrill: PlatformDrill
}

export function createGamePlatform(options: GamePlatformOptions): PlatformAdapters {
  const { http, db, clock, log, metrics, acting } = options
  const timing = { ...TIMING, ...options.timing }
  const communityUrl = options.communityUrl.replace(/\/+$/, '')
  const apiUrl = options.apiUrl.replace(/\/+$/, '')
  const listBots = async (): Promise<readonly BotSecrets[]> => (await acting?.readBots()) ?? []
  const rests = createRests({
    ...{ db, clock, log, metrics, restMs: timing.restMs },
    countBots: async () => (await listBots()).length,
  })
  const platformCalls = createPlatformCalls({
    ...{
      http,
      clock,
      rests,
      egress: options.egress,
      kinds: options.callKinds,
      paceScale: timing.paceScale,
    },
    site: new URL(communityUrl).origin,
    spend: createBudget(options.reserveSlot),
  })
  const memory = createBotMemory({ db, secrets: acting?.secrets ?? null })
  const exclusively = createRunExclusively({ db, clock, patienceMs: timing.turnPatienceMs })
  const sessions = createSessions({
    ...{ apiUrl, platformCalls, clock, log, memory, exclusively },
    deadlineMs: timing.callDeadlineMs,
    renewBeforeMs: timing.renewBeforeMs,
  })
  const calls = createBotCalls({
    ...{ apiUrl, communityUrl, platformCalls, sessions, doubts: createSessionDoubts(clock) },
    deadlineMs: timing.callDeadlineMs,
    sendDeadlineMs: timing.sendDeadlineMs,
  })
  const offers = createOfferReader({ calls, clock })
  const confirmations = createConfirmations({ calls, clock })

  return {
    platform: createTradeUrls({
      ...{ communityUrl, communityHost: options.communityHost, platformCalls, log },
      ...{ listBots, calls, rests, memory, clock, staleMs: timing.staleMs },
    }),
    platformDrill: createDrill({
      ...{ communityUrl, listBots, sessions, calls, confirmations, exclusively, platformCalls },
      deadlineMs: timing.callDeadlineMs,
    }),
    hasBots: async () => (await listBots()).length > 0,
    inventories: createInventories({
      ...{ communityUrl, platformCalls, clock, log, gameBook: options.gameBook },
      keptMs: timing.inventoryKeptMs,
      deadlineMs: timing.callDeadlineMs,
    }),
    bots: createBots({
      ...{ calls, offers, confirmations, memory, exclusively, clock, log, listBots },
      findBot: async (id) => (await listBots()).find(({ platformId }) => platformId === id) ?? null,
      settleMs: timing.settleMs,
      staleMs: timing.staleMs,
    }),
    watchBots: createWatchBots({
      ...{ calls, offers, confirmations, memory, exclusively, clock, log, metrics, listBots },
      hasIntent: options.hasIntent,
      slowlyMs: timing.slowlyMs,
      staleMs: timing.staleMs,
    }),
  }
}
