// Calls to a platform without paces, and without a memory of its refusals.
import type { HttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { CALL_KINDS } from '../call-kinds.ts'
import { createPlatformCalls, type PlatformCalls } from '../platform-calls.ts'
import type { Rests } from '../rests.ts'

const NO_RESTS: Rests = {
  waitMs: async () => 0,
  refused: async () => 0,
  served: async () => {},
}

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
