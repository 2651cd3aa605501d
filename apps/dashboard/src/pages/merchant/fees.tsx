import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Facts } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { hundredthsOf, ofHundred } from '../../kit/hundredths.ts'
import { Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { feesQuery } from '../../queries/merchant.ts'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'

const words = texts.merchant.fees

export function FeesPage() {
  const { data: fees, error } = useQuery(feesQuery)
  const [isOpen, setOpen] = useState(false)
  const maySet = useCapability('money.write')
  return (
    <Page
      title={words.title}
      act={
        fees &&
        maySet && (
          <Button look="main" onClick={() => setOpen(true)}>
            {words.change}
          </Button>
        )
      }
    >
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
          {isOpen && <FeesDialog fees={fees} onClose={() => setOpen(false)} />}
        </>
      )}
    </Page>
  )
}

interface FeesDialogProps {
  readonly fees: Answer<'getFees'>
  readonly onClose: () => void
}

function FeesDialog({ fees, onClose }: FeesDialogProps) {
  const queries = useQueryClient()
  return (
    <Dialog title={words.change} onClose={onClose}>
      <p>{words.changeText}</p>
      <Form
        submit={words.change}
        onCancel={onClose}
        onSubmit={async (values) => {
          const bps = (name: string): number => hundredthsOf(textOf(values, name))
          const body = { buyFeeBps: bps('buyFeeBps'), sellFeeBps: bps('sellFeeBps') }
          queries.setQueryData(feesQuery.queryKey, await call('setFees', { body }))
          onClose()
        }}
      >
        {(problems) => (
          <>
            <Field
              {...{ label: words.buyInPercent, name: 'buyFeeBps', inputMode: 'decimal' }}
              {...{ defaultValue: ofHundred(fees.buyFeeBps), problem: problems.buyFeeBps }}
              autoFocus
              required
            />
            <Field
              {...{ label: words.sellInPercent, name: 'sellFeeBps', inputMode: 'decimal' }}
              {...{ defaultValue: ofHundred(fees.sellFeeBps), problem: problems.sellFeeBps }}
              required
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}
