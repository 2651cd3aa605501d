import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Section } from '../../kit/page.tsx'
import { MailSent } from '../../kit/sandbox-mail.tsx'
import { membersOfAccountQuery } from '../../queries/admin.ts'
import { texts } from '../../texts/texts.ts'
import { RoleChoice, type TeamRole } from '../account/role-choice.tsx'

const { team: words } = texts

/** Also for one whose first invitation has run out: the one before ends. */
export function InviteMember({ id }: { readonly id: string }) {
  const queries = useQueryClient()
  const [invited, setInvited] = useState<string | null>(null)
  const invite = async (values: FormData): Promise<void> => {
    const email = textOf(values, 'email')
    const role = textOf(values, 'role') as TeamRole
    await call('inviteToAccount', { params: { id }, body: { email, role } })
    await queries.invalidateQueries(membersOfAccountQuery(id))
    setInvited(email)
  }
  return (
    <Section title={words.invite}>
      {invited && <MailSent>{words.sent(invited)}</MailSent>}
      <Form key={invited} submit={words.invite} look="plain" onSubmit={invite}>
        {(problems) => (
          <>
            <p>{words.inviteText}</p>
            <Field
              {...{ label: words.email, name: 'email', type: 'email', problem: problems.email }}
              required
            />
            <RoleChoice chosen="owner" />
          </>
        )}
      </Form>
    </Section>
  )
}
