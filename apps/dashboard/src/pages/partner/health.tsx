import { useQuery } from '@tanstack/react-query'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { marketHealthQuery } from '../../queries/partner.ts'
import { admin } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'
import { HEALTH_TONES } from '../tones.ts'

const words = texts.partner.health
/** Without the workers and balances of the service, which a program may read for itself. */
export function MarketHealthPage() {
  const { data: health, error } = useQuery(marketHealthQuery)
  return (
    <Page title={words.title}>
      {error && <Failure error={error} />}
      {health === undefined && !error && <Waiting />}
      {health && (
        <>
          <p>
            {words.all}
            {': '}
            <Badge tone={HEALTH_TONES[health.status]}>{admin.healths[health.status]}</Badge>
          </p>
          {(['market_a', 'market_b'] as const).map((market) => {
            const { status } = health.markets[market]
            return (
              <Section key={market} title={words.markets[market]}>
                <p>
                  <Badge tone={HEALTH_TONES[status]}>{admin.healths[status]}</Badge> ·{' '}
                  {admin.service}
                  {': '}
                  {health.service[market] ? admin.yes : admin.no}
                </p>
              </Section>
            )
          })}
        </>
      )}
    </Page>
  )
}
