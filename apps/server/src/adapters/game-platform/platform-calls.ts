// Every call to the platform goes through here: it waits for the turn of its kind, carries the headers of its
// kind, and a 429 lets the kind rest.
import type { HttpClient, HttpOutcome, HttpRequest } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import type { Spend } from './budget.ts'
import { type CallKind, type CallKinds, headersFor } from './call-kinds.ts'
import type { Rests } from './rests.ts'

export interface PlatformCalls {
  /** 0: a call of the kind may be sent now; else the milliseconds after which to come again. */
  turn(kind: CallKind, by: By): Promise<number>
  /** The kind rests for this bot and not for our address: another bot may make the call. */
  restsAlone(kind: CallKind, botId: string): Promise<boolean>
  /** `rests`: it was answered 429. */
  send(kind: CallKind, by: By, request: Sent): Promise<PlatformOutcome>
}

/** A bot, or an anonymous caller, whose turns tenants share. */
export interface By {
  readonly botId: string | null
  readonly caller?: Parameters<Spend>[2]
}

export type PlatformOutcome =
  | HttpOutcome
  | { readonly kind: 'rests'; readonly retryAfterMs: number }

export interface Sent extends Omit<HttpRequest, 'provider'> {
  /** The page from which the platform's own client would make the call. */
  readonly page: string
}

const LEAST_RETRY_MS = 5_000

export function createPlatformCalls({
  http,
  clock,
  kinds,
  spend,
  rests,
  site,
  paceScale,
  egress = [],
}: {
  readonly http: HttpClient
  readonly clock: Clock
  readonly kinds: CallKinds
  readonly spend: Spend
  readonly rests: Rests
  /** The origin of the community site. */
  readonly site: string
  /** Multiplies every pace; the sandbox counts no calls. */
  readonly paceScale: number
  /** Addresses of ours by which what the platform counts by address leaves in turn; none: as any call. */
  readonly egress?: readonly string[] | undefined
}): PlatformCalls {
  const leaving = createLeaving(egress)
  return {
    async turn(kind, { botId, caller }) {
      const restMs = await rests.waitMs(kind, botId)
      if (restMs > 0) return restMs
      const { paceMs, counted } = kinds[kind]
      if (counted === 'bot') return spend(`platform:${kind}:${botId}`, paceMs * paceScale, caller)
      const address = leaving.next(kind)
      const name = address === null ? `platform:${kind}` : `platform:${kind}:${address}`
      const waitMs = await spend(name, paceMs * paceScale, caller)
      if (waitMs === 0) leaving.granted(kind, address)
      return waitMs
    },
    restsAlone: async (kind, botId) =>
      (await rests.waitMs(kind, botId)) > 0 && (await rests.waitMs(kind, null)) === 0,
    async send(kind, { botId }, { page, ...request }) {
      const askedAtMs = clock.now().getTime()
      const localAddress = leaving.take(kind)
      const outcome = await http.request({
        ...request,
        ...(localAddress !== null && { localAddress }),
        provider: 'game_platform',
        headers: { ...request.headers, ...headersFor(kinds[kind], { site, page }) },
      })
      if (outcome.kind !== 'answer') return outcome
      if (outcome.status === 429) {
        const restMs = await rests.refused(kind, botId)
        return { kind: 'rests', retryAfterMs: Math.max(restMs, LEAST_RETRY_MS) }
      }
      await rests.served(kind, botId, askedAtMs)
      return outcome
    },
  }
}

/** So many turns of a kind at most are kept for calls that were not made after all. */
const TURNS_KEPT = 64

/** By which of our addresses a kind's next turn is taken, and by which the call of a turn leaves. */
function createLeaving(addresses: readonly string[]) {
  const turns = new Map<CallKind, number>()
  const given = new Map<CallKind, string[]>()
  return {
    next(kind: CallKind): string | null {
      const turn = turns.get(kind) ?? 0
      turns.set(kind, (turn + 1) % Math.max(1, addresses.length))
      return addresses[turn] ?? null
    },
    granted(kind: CallKind, address: string | null): void {
      if (address === null) return
      given.set(kind, [...(given.get(kind) ?? []), address].slice(-TURNS_KEPT))
    },
    take: (kind: CallKind): string | null => given.get(kind)?.shift() ?? null,
  }
}
