// How the service is now: what is wrong with it, and how each market is served.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AdminHealth } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import { DetailList } from '../../kit/detail.tsx'
import { Badge, Notice } from '../../kit/notice.tsx'
import { Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Ago } from '../../kit/time.tsx'
import { undecidedQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'
import { HEALTH_TONES } from '../tones.ts'
import { CatalogueAlarms, listName } from './catalogue-state.tsx'
import { ProcessAlarms, processText } from './process-state.tsx'
import { SupplierAccount } from './supplier-account.tsx'
import { TradingState } from './trading-state.tsx'
import { Workers } from './workers.tsx'

interface HealthProps {
  readonly health: AdminHealth
}

/** What a person should know at once. */
export function Alarms({ health }: HealthProps) {
  const undecided = useQuery(undecidedQuery).data?.items.length ?? 0
  return (
    <>
      {health.secondFactorMissing && (
        <Notice tone="warn">
          {words.factorMissing} <Link to="/login-settings">{words.setUpFactor}</Link>
        </Notice>
      )}
      {health.tradingPaused && (
        <TradingState health={health}>
          <Link to="/admin/switches">{words.switches}</Link>
        </TradingState>
      )}
      {health.frozenWallets.map(({ chain, token, payments }) => (
        <Notice key={`${chain} ${token}`} tone="warn">
          {words.walletFrozen(chain, token, payments)}
        </Notice>
      ))}
      {undecided > 0 && (
        <Notice tone="warn">
          {words.undecided(undecided)}{' '}
          <Link to="/admin/cases" search={{ kind: 'reversal_unclear' }}>
            {words.undecidedCases}
          </Link>
        </Notice>
      )}
      <ProcessAlarms health={health} />
      <CatalogueAlarms catalogue={health.catalogue} />
      {health.supplierAccounts.map((account) => (
        <SupplierAccount key={`${account.market} ${account.account}`} account={account} />
      ))}
      {health.platformRefuses.map(({ kind, since }) => (
        <Notice key={kind} tone="bad">
          {words.platformRefuses(kind)} (<Ago at={since} />)
        </Notice>
      ))}
      {health.tradeUrls !== 'bots' && (
        <Notice tone="warn">{words.tradeUrls[health.tradeUrls]}</Notice>
      )}
    </>
  )
}

/** How the service is, in a few lines; what is wrong with it stands above. */
export const ServiceNow = ({ health }: HealthProps) => (
  <Section title={words.now}>
    <DetailList
      details={[
        [
          words.trading,
          <Link key="trading" to="/admin/switches">
            {words.tradingState(health.tradingPaused)}
          </Link>,
        ],
        [words.ownProcess, processText(health.process)],
        ...health.catalogue.lists.map(
          ({ name, goodAt }) =>
            [words.listGood(listName(name)), <Ago key={name} at={goodAt} />] as const,
        ),
      ]}
    />
  </Section>
)

export const ServiceHealth = ({ health }: HealthProps) => (
  <>
    <Section title={words.health}>
      <Table
        caption={words.health}
        empty={words.noMarkets}
        rows={health.markets}
        keyOf={({ id }) => id}
        columns={[
          { head: words.market, cell: ({ id }) => marketName(id) },
          {
            head: words.status,
            cell: ({ status }) => (
              <Badge tone={HEALTH_TONES[status]}>{words.healths[status]}</Badge>
            ),
          },
          { head: words.service, cell: ({ inService }) => (inService ? words.yes : words.no) },
          { head: words.waiting, align: 'end', cell: ({ queueDepth }) => queueDepth },
          {
            head: words.expectedWait,
            align: 'end',
            cell: ({ expectedWaitSeconds }) =>
              expectedWaitSeconds !== null && words.minutes(Math.ceil(expectedWaitSeconds / 60)),
          },
          { head: words.reversals, align: 'end', cell: ({ reversals }) => reversals },
          { head: words.workers, align: 'end', cell: ({ workers }) => workers.length },
        ]}
      />
    </Section>
    {health.markets.map(({ id, workers }) => (
      <Section key={id} title={texts.partner.health.workersOf(marketName(id))}>
        <Workers market={id} workers={workers} />
      </Section>
    ))}
  </>
)
