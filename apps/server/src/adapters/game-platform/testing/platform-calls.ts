// The adapter's parts without a database: no paces, no memory of refusals, and one bot that is always
// signed in.
import type { HttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import type { GamePlatform } from '#ports/identity'
import { CALL_KINDS } from '../call-kinds.ts'
import { type BotCalls, createBotCalls } from '../calls.ts'
import { createPlatformCalls, type PlatformCalls } from '../platform-calls.ts'
import type { Rests } from '../rests.ts'
import { createSessionDoubts } from '../session-doubts.ts'
import { createTradeUrls } from '../trade-urls.ts'

const NO_RESTS: Rests = {
  waitMs: async () => 0,
  refused: async () => 0,
  served: async () => {},
}

export const BOT = { platformId: '76561198000000001', identitySecret: '', refreshToken: '' }

export const givenPlatformCalls = (
  http: HttpClient,
  site: string,
  changes: Partial<Parameters<typeof createPlatformCalls>[0]> = {},
): PlatformCalls =>
  createPlatformCalls({
    ...{ http, site, clock: systemClock, kinds: CALL_KINDS, paceScale: 1 },
    ...{ rests: NO_RESTS, spend: async () => 0 },
    ...changes,
  })

export const givenBotCalls = (http: HttpClient, communityUrl: string): BotCalls =>
  createBotCalls({
    communityUrl,
    apiUrl: `${communityUrl}/api`,
    platformCalls: givenPlatformCalls(http, communityUrl),
    doubts: createSessionDoubts(systemClock),
    sessions: {
      get: async ({ platformId }) => ({
        kind: 'session',
        session: {
          ...{ platformId, accessToken: 't', cookie: 'c', sessionId: 's' },
          expiresAt: new Date(),
        },
      }),
      forget: () => {},
    },
    deadlineMs: 2000,
    sendDeadlineMs: 2000,
  })

export const givenTradeUrls = (http: HttpClient, communityUrl: string): GamePlatform =>
  createTradeUrls({
    ...{ communityUrl, communityHost: 'community.example', log: silentLog, clock: systemClock },
    listBots: async () => [BOT],
    calls: givenBotCalls(http, communityUrl),
    platformCalls: givenPlatformCalls(http, communityUrl),
    rests: NO_RESTS,
    memory: {
      readStates: async () => new Map(),
      readState: async () => null,
      writeState: async () => {},
    },
    staleMs: 0,
  })
