import { useQuery } from '@tanstack/react-query'
import { Facts } from '../../kit/detail.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { feesQuery } from '../../queries/merchant.ts'
import { texts } from '../../texts/en.ts'

const words = texts.merchant.fees

/** Of 100.00, so that a basis point is a cent. */
export const ofHundred = (bps: number): string => (bps / 100).toFixed(2)

export function FeesPage() {
  const { data: fees, error } = useQuery(feesQuery)
  return (
    <Page title={words.title}>
      {error && <Failure error={error} />}
      {fees === undefined && !error && <Waiting />}
      {fees && (
        <>
          <p>{words.text}</p>
          <Facts
            facts={[
              [words.buyFee, words.percent(fees.buyFeeBps)],
              [words.sellFee, words.percent(fees.sellFeeBps)],
              [
                words.childDefault,
                fees.childDefaultFeeBps === null
                  ? words.none
                  : words.percent(fees.childDefaultFeeBps),
              ],
              [words.globalDefault, words.percent(fees.globalDefaultFeeBps)],
              [words.effective, words.percent(fees.effectiveChildFeeBps)],
              [words.spread, words.percent(fees.fxSpreadBps)],
            ]}
          />
          <Section title={words.exampleTitle}>
            <Facts
              facts={[
                [words.sourcing, '100.00'],
                [words.house, ofHundred(fees.effectiveChildFeeBps)],
                [words.own, ofHundred(fees.buyFeeBps)],
                [words.pays, ofHundred(10_000 + fees.effectiveChildFeeBps + fees.buyFeeBps)],
              ]}
            />
          </Section>
        </>
      )}
    </Page>
  )
}
