import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge, Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Ago } from '../../kit/time.tsx'
import { healthQuery, undecidedQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'
import { HEALTH_TONES } from '../tones.ts'
import { CatalogueState } from './catalogue-state.tsx'
import { ProcessState } from './process-state.tsx'
import { SupplierAccount } from './supplier-account.tsx'
import { TradingState } from './trading-state.tsx'
import { Workers } from './workers.tsx'

export function HealthPage() {
  const { data: health, error } = useQuery(healthQuery)
  const undecided = useQuery(undecidedQuery).data?.items.length ?? 0
  return (
    <Page title={words.health}>
      {error && <Failure error={error} />}
      {health?.secondFactorMissing && (
        <Notice tone="warn">
          {words.factorMissing} <Link to="/login-settings">{words.setUpFactor}</Link>
        </Notice>
      )}
      {health?.frozenWallets.map(({ chain, token, payments }) => (
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
      {health && <ProcessState health={health} />}
      {health?.supplierAccounts.map((account) => (
        <SupplierAccount key={`${account.market} ${account.account}`} account={account} />
      ))}
      {health?.platformRefuses.map(({ kind, since }) => (
        <Notice key={kind} tone="bad">
          {words.platformRefuses(kind)} (<Ago at={since} />)
        </Notice>
      ))}
      {health && health.tradeUrls !== 'bots' && (
        <Notice tone="warn">{words.tradeUrls[health.tradeUrls]}</Notice>
      )}
      {(health || !error) && (
        <>
          <Table
            caption={words.health}
            empty={words.noMarkets}
            rows={health?.markets}
            expected={2}
            keyOf={({ id }) => id}
            columns={[
              { head: words.market, cell: ({ id }) => <code>{id}</code> },
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
                  expectedWaitSeconds !== null &&
                  words.minutes(Math.ceil(expectedWaitSeconds / 60)),
              },
              { head: words.reversals, align: 'end', cell: ({ reversals }) => reversals },
              { head: words.workers, align: 'end', cell: ({ workers }) => workers.length },
            ]}
          />
          {health?.markets.map(({ id, workers }) => (
            <Section key={id} title={texts.partner.health.workersOf(id)}>
              <Workers market={id} workers={workers} />
            </Section>
          ))}
          {health && (
            <TradingState health={health}>
              <Link to="/admin/switches">{words.switches}</Link>
            </TradingState>
          )}
          {health && <CatalogueState catalogue={health.catalogue} />}
        </>
      )}
    </Page>
  )
}
