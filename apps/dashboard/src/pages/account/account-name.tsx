import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Section } from '../../kit/page.tsx'
import { ownAccountsQuery } from '../../queries/account.ts'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'

const { accounts: words, actions } = texts

/** Of a merchant's or a partner's account; its owner changes it. */
export function AccountName() {
  const { data: accounts } = useQuery(ownAccountsQuery)
  const queries = useQueryClient()
  const [isSaved, setSaved] = useState(false)
  const isOwner = useCapability('members.write')
  const own = accounts?.find(({ current }) => current)
  if (!isOwner || own === undefined) return null
  const save = async (values: FormData): Promise<void> => {
    setSaved(false)
    await call('renameAccount', { body: { name: textOf(values, 'name') } })
    await queries.invalidateQueries(ownAccountsQuery)
    setSaved(true)
  }
  return (
    <Section title={words.title}>
      {isSaved && <Notice tone="good">{words.renamed}</Notice>}
      <Form submit={actions.save} onSubmit={save}>
        {(problems) => (
          <Field
            {...{ label: words.name, name: 'name', hint: words.nameHint, maxLength: 128 }}
            defaultValue={own.name ?? ''}
            problem={problems.name}
            required
          />
        )}
      </Form>
    </Section>
  )
}
