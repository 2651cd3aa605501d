import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Facts } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { hundredthsOf, ofHundred } from '../../kit/hundredths.ts'
import { Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { partnerFeesQuery } from '../../queries/partner.ts'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'

const words = texts.partner.fees
const { percent } = texts.merchant.fees

export function PartnerFeesPage() {
  const { data: fees, error } = useQuery(partnerFeesQuery)
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
              [
                words.platform,
                `${percent(fees.platformFeeBps)} (${fees.isAgreed ? words.agreed : words.general})`,
              ],
              [words.own, percent(fees.partnerFeeBps)],
              [words.withdraw, percent(fees.withdrawFeeBps)],
            ]}
          />
          <Section title={words.exampleTitle}>
            <Facts
              facts={[
                [words.base, '100.00'],
                [words.platform, ofHundred(fees.platformFeeBps)],
                [words.own, ofHundred(fees.partnerFeeBps)],
                [words.pays, ofHundred(10_000 + fees.platformFeeBps + fees.partnerFeeBps)],
              ]}
            />
          </Section>
          {isOpen && <FeeDialog bps={fees.partnerFeeBps} onClose={() => setOpen(false)} />}
        </>
      )}
    </Page>
  )
}

function FeeDialog({ bps, onClose }: { readonly bps: number; readonly onClose: () => void }) {
  const queries = useQueryClient()
  return (
    <Dialog title={words.change} onClose={onClose}>
      <p>{words.changeText}</p>
      <Form
        submit={words.change}
        onCancel={onClose}
        onSubmit={async (values) => {
          const partnerFeeBps = hundredthsOf(textOf(values, 'partnerFeeBps'))
          const fees = await call('setPartnerFee', { body: { partnerFeeBps } })
          queries.setQueryData(partnerFeesQuery.queryKey, fees)
          onClose()
        }}
      >
        {(problems) => (
          <Field
            {...{ label: words.inPercent, name: 'partnerFeeBps', inputMode: 'decimal' }}
            {...{ defaultValue: ofHundred(bps), problem: problems.partnerFeeBps }}
            autoFocus
            required
          />
        )}
      </Form>
    </Dialog>
  )
}
