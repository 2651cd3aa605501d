// What every part of the service looks like now, made of what workers wrote down. Whether a look counts is
// decided by the module `status`.
import { listMarketQueues } from '#buying'
import { countListed, type MarketState } from '#catalog'
import { CHAIN_IDS, type ChainId, type ChainState, listChains } from '#chains'
import type { Db } from '#infra/database/db'
import { type JobBeat, listAllHeartbeats } from '#infra/jobs/heartbeats'
import type { Clock } from '#infra/process/clock'
import { listWallets, type Wallet } from '#outbound'
import type { MarketFigures, Reading, Status } from '#status'
import { findPause, type Pause } from '#trades'
import { type MarketHealthEntry, readMarketHealth, STALE_MS } from './market-health.ts'
import { listPartyCallers, type Party, type PartyCaller } from './party-callers.ts'

/** What the settings of this installation switch on. */
export interface ServiceParts {
  readonly chains: readonly ChainId[]
  readonly hasGateway: boolean
  readonly hasOnramp: boolean
  /** There is a key of deposit addresses. */
  readonly hasAddresses: boolean
  /** There is a signer. */
  readonly paysOut: boolean
}

export interface ServiceStatusDeps {
  readonly db: Db
  readonly clock: Clock
  readonly parts: ServiceParts
  listMarkets(): Promise<readonly MarketState[]>
}

export interface ServiceReadings {
  readonly readings: readonly Reading[]
  readonly figures: readonly MarketFigures[]
}

/** Markets that no worker has asked yet are left out. */
export async function readServiceStatus(deps: ServiceStatusDeps): Promise<ServiceReadings> {
  const { db, clock, parts, listMarkets } = deps
  const [states, health, queues, listed, pause, callers, chains, wallets, beats] =
    await Promise.all([
      listMarkets(),
      readMarketHealth(deps),
      listMarketQueues(db),
      countListed(db),
      findPause(db),
      listPartyCallers(db),
      listChains(db),
      listWallets(db),
      listAllHeartbeats(db),
    ])
  const at = clock.now()
  const known = states.filter(({ checkedAt, enabled }) => checkedAt !== null || !enabled)
  const partyOf = (party: Party): Status | null =>
    judgeParty(
      callers.filter((one) => one.party === party),
      at,
    )
  const provider = (isOn: boolean, party: Party): Status | null =>
    isOn ? partyOf(party) : 'disabled'
  const jobs = judgeJobs(beats, at)
  return {
    readings: [
      judgeTrading(pause),
      ...known.map((state) =>
        reading('market', state.id, judgeMarket(state, health.markets[state.id], at)),
      ),
      reading('platform', '', partyOf('game_platform')),
      reading('deposit', 'gateway', provider(parts.hasGateway, 'gateway')),
      reading('deposit', 'onramp', provider(parts.hasOnramp, 'onramp')),
      ...CHAIN_IDS.flatMap((chain) => {
        const state = chains.find((one) => one.chain === chain)
        const isOn = parts.chains.includes(chain)
        const ofChain = isOn ? judgeChain(state) : 'disabled'
        const hot = wallets.find((one) => one.chain === chain && one.keyRef === 'hot')
        return [
          reading('deposit', chain, judgeDeposits(ofChain, parts, jobs(`scan-${chain}`))),
          reading(
            'payout',
            chain,
            judgePayouts(ofChain, parts, hot, jobs(`send-outbound-${chain}`)),
          ),
        ]
      }),
    ],
    figures: known.map(({ id, snapshotAt }) => ({
      market: id,
      listings: listed.get(id) ?? 0,
      readAt: snapshotAt,
      expectedWaitSeconds: queues.find(({ market }) => market === id)?.expectedWaitSeconds ?? null,
    })),
  }
}

const reading = (
  component: Reading['component'],
  name: string,
  status: Status | null,
): Reading => ({ component, name, status, reason: null })

const judgeTrading = (pause: Pause | null): Reading => ({
  ...reading('trading', '', pause === null ? 'operational' : 'paused'),
  ...(pause !== null && { reason: pause.reason, since: pause.since }),
})

/**
 * Down: it does not answer, none of our accounts there may buy, or no worker takes its orders. A worker that
 * was killed says nothing of it as long as another one serves it.
 */
function judgeMarket(
  { enabled, online, coverMills, checkedAt }: MarketState,
  health: MarketHealthEntry | undefined,
  at: Date,
): Status {
  if (!enabled) return 'disabled'
  const living =
    health?.workers.filter(({ heartbeat }) => (heartbeat?.ageMs ?? 0) <= STALE_MS) ?? []
  const isServed = living.some(({ status }) => status === 'ok')
  if (!online || coverMills === 0n || !isServed) return 'down'
  const isAsked = checkedAt !== null && at.getTime() - checkedAt.getTime() <= STALE_MS
  const isLate = (health?.commonQueue.oldestAgeMs ?? 0) > STALE_MS
  const isWell = living.every(({ status }) => status === 'ok') && isAsked && !isLate
  return isWell ? 'operational' : 'degraded'
}

/** Fewer failures are the network's. */
const LEAST_FAILURES = 3
/** So many of the calls of a minute. */
const DEGRADED_SHARE = 0.2
/** What was not called for so long is no longer known to fail. */
const FORGOTTEN_MS = 300_000

/** Null: no process has called it lately. */
export function judgeParty(callers: readonly PartyCaller[], at: Date): Status | null {
  const isWithin = (moment: Date | null, ms: number): boolean =>
    moment !== null && at.getTime() - moment.getTime() <= ms
  const living = callers.filter(
    ({ notedAt, answeredAt, failedAt }) =>
      isWithin(notedAt, STALE_MS) && (answeredAt !== null || failedAt !== null),
  )
  if (living.length === 0) return null
  const sum = (of: (caller: PartyCaller) => number): number =>
    living.reduce((total, caller) => total + of(caller), 0)
  const failing = living.filter(
    ({ failures, failedAt }) => failures > 0 && isWithin(failedAt, FORGOTTEN_MS),
  )
  const isAnswering = living.some(
    ({ failures, answeredAt }) => failures === 0 && isWithin(answeredAt, STALE_MS),
  )
  const inARow = failing.reduce((total, { failures }) => total + failures, 0)
  if (inARow >= LEAST_FAILURES && !isAnswering) return 'down'
  const failures = sum(({ failuresOfMinute }) => failuresOfMinute)
  const calls = sum(({ callsOfMinute }) => callsOfMinute)
  const isUnwell = failures >= LEAST_FAILURES && failures >= DEGRADED_SHARE * calls
  return isUnwell ? 'degraded' : 'operational'
}

/** The scanner halts a chain that contradicts itself; anyone else who halts it switches it off. */
function judgeChain(state: ChainState | undefined): Status {
  if (state === undefined) return 'disabled'
  if (state.haltedAt === null) return 'operational'
  return state.haltedBy === 'scanner' ? 'down' : 'disabled'
}

const judgeDeposits = (
  ofChain: Status,
  { hasAddresses }: ServiceParts,
  scanner: Status,
): Status => {
  if (!hasAddresses) return 'disabled'
  return ofChain === 'operational' ? scanner : ofChain
}

function judgePayouts(
  ofChain: Status,
  { paysOut }: ServiceParts,
  hot: Wallet | undefined,
  sender: Status,
): Status {
  if (!paysOut) return 'disabled'
  if (ofChain !== 'operational') return ofChain
  // A wallet is known from its first transaction on.
  return hot === undefined || hot.state === 'open' ? sender : 'down'
}

/**
 * Whether a job gets its work done: down when it has not for a minute, degraded when its last run failed. The
 * process counts that has done it last; before the first good run its start counts.
 */
function judgeJobs(beats: readonly JobBeat[], at: Date): (name: string) => Status {
  const goodAt = ({ succeededAt, startedAt }: JobBeat): Date => succeededAt ?? startedAt
  return (name) => {
    const ofJob = beats.filter(({ job }) => job === name)
    const done = ofJob.filter(({ succeededAt }) => succeededAt !== null)
    const [newest] = (done.length > 0 ? done : ofJob).toSorted((a, b) => +goodAt(b) - +goodAt(a))
    if (newest === undefined || +at - +goodAt(newest) > STALE_MS) return 'down'
    return newest.error === null ? 'operational' : 'degraded'
  }
}
