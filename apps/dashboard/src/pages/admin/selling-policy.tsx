import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { Field, Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Section } from '../../kit/page.tsx'
import { sellingPolicyQuery } from '../../queries/admin.ts'
import { admin } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'

const { selling: words, reason } = admin

const NUMBERS = [
  ['leastQuoteCents', words.least],
  ['mostQuoteCents', words.most],
  ['offerSharePercent', words.share],
  ['waitingLimit', words.waiting],
] as const

/** What the bots of the service buy, and how merchants share them. */
export function SellingPolicy() {
  const { data: policy, error } = useQuery(sellingPolicyQuery)
  const queries = useQueryClient()
  const save = async (values: FormData): Promise<void> => {
    const numbers = Object.fromEntries(
      NUMBERS.map(([name]) => [name, Number(textOf(values, name))] as const),
    )
    const body = {
      ...numbers,
      buying: textOf(values, 'buying') === 'yes',
      reason: textOf(values, 'reason'),
    }
    queries.setQueryData(sellingPolicyQuery.queryKey, await call('setSellingPolicy', { body }))
  }
  return (
    <Section title={words.title}>
      <p>{words.text}</p>
      {error && <Failure error={error} />}
      {policy && (
        <Form
          key={JSON.stringify(policy)}
          submit={words.set}
          done={texts.actions.saved}
          onSubmit={save}
        >
          {(problems) => (
            <>
              <Select
                label={words.buying}
                name="buying"
                defaultValue={policy.buying ? 'yes' : 'no'}
              >
                <option value="yes">{words.yes}</option>
                <option value="no">{words.no}</option>
              </Select>
              {NUMBERS.map(([name, label]) => (
                <Field
                  key={name}
                  {...{ label, name, inputMode: 'numeric', defaultValue: policy[name] }}
                  problem={problems[name]}
                  required
                />
              ))}
              <Field label={reason} name="reason" problem={problems.reason} required />
            </>
          )}
        </Form>
      )}
    </Section>
  )
}
