// The status of the service as everyone reads it.
import { MAX_PLACEMENT_SECONDS, type ServiceStatus } from '@tradepost/contract'
import type { Component, MarketFigures, Status } from '#status'

export interface ShownComponent extends Component {
  readonly status: Status
  readonly reason: string | null
  readonly since: Date
}

type MarketRow = ServiceStatus['markets'][number]
type ComponentStatus = MarketRow['status']
type Chain = ServiceStatus['payouts'][number]['chain']

export function serviceStatusView({
  components,
  figures,
  webhookAddresses,
}: {
  readonly components: readonly ShownComponent[]
  readonly figures: readonly MarketFigures[]
  readonly webhookAddresses: readonly string[]
}): ServiceStatus {
  const of = (kind: Component['component']): readonly ShownComponent[] =>
    components.filter(({ component }) => component === kind)
  return {
    trading: tradingView(of('trading')[0]),
    markets: of('market').map((one) =>
      marketView(
        one,
        figures.find(({ market }) => market === one.name),
      ),
    ),
    platform: stateOf(of('platform')[0]),
    deposits: of('deposit')
      .map((one) => ({ ...methodOf(one.name), ...stateOf(one) }))
      .toSorted((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method)),
    payouts: of('payout').map((one) => ({ chain: one.name as Chain, ...stateOf(one) })),
    webhookAddresses: [...webhookAddresses],
  }
}

const METHODS: readonly string[] = ['gateway', 'onramp', 'crypto']

const methodOf = (name: string) =>
  name === 'gateway' || name === 'onramp'
    ? ({ method: name, chain: null } as const)
    : ({ method: 'crypto', chain: name as Chain } as const)

const stateOf = (one: ShownComponent | undefined) => ({
  status: (one?.status ?? 'operational') as ComponentStatus,
  since: (one?.since ?? EPOCH).toISOString(),
})

/** Of a part that no worker has judged yet: nothing is known against it. */
const EPOCH = new Date(0)

const tradingView = (one: ShownComponent | undefined): ServiceStatus['trading'] => ({
  status: one?.status === 'paused' ? 'paused' : 'operational',
  reason: one?.reason ?? null,
  since: stateOf(one).since,
})

function marketView(one: ShownComponent, figures: MarketFigures | undefined): MarketRow {
  const { status, since } = stateOf(one)
  const waitSeconds = figures?.expectedWaitSeconds ?? 0
  return {
    market: one.name,
    ...{ status, since },
    listings: figures?.listings ?? 0,
    readAt: figures?.readAt?.toISOString() ?? null,
    expectedPlacementSeconds:
      status === 'operational' ? Math.min(Math.max(1, waitSeconds), MAX_PLACEMENT_SECONDS) : null,
  }
}
