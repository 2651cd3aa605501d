import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Section } from '../../kit/page.tsx'
import { ownAccountsQuery } from '../../queries/account.ts'
import { leave, sessionQuery, useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'

const { accounts: words } = texts

/** What a member does in the end: leaving the account, and, for an owner of a merchant, closing it. */
export function Leaving() {
  const { data: accounts, error } = useQuery(ownAccountsQuery)
  const { data: session } = useQuery(sessionQuery)
  const isOwner = useCapability('members.write')
  const [asked, setAsked] = useState<'leave' | 'close' | null>(null)
  const own = accounts?.find(({ current }) => current)
  if (error) return <Failure error={error} />
  if (own === undefined) return null
  const name = own.name ?? own.accountId
  const mayClose = isOwner && session?.user.accountKind === 'merchant'
  const end = (): void => setAsked(null)
  return (
    <>
      <Section title={words.leave}>
        <p>{words.leaveText(name)}</p>
        <div>
          <Button onClick={() => setAsked('leave')}>{words.leave}</Button>
        </div>
      </Section>
      {mayClose && (
        <Section title={words.close}>
          <p>{words.closeText}</p>
          <p>{words.closeRule}</p>
          <div>
            <Button look="danger" onClick={() => setAsked('close')}>
              {words.close}
            </Button>
          </div>
        </Section>
      )}
      {asked === 'leave' && (
        <Confirm
          title={words.leave}
          act={words.leave}
          look="danger"
          done={null}
          onConfirm={leaveAccount}
          onClose={end}
        >
          <p>{words.leaveText(name)}</p>
        </Confirm>
      )}
      {asked === 'close' && <CloseDialog name={name} onClose={end} />}
    </>
  )
}

async function leaveAccount(): Promise<void> {
  try {
    await call('leaveAccount', {})
  } catch (error) {
    const isLastOwner = error instanceof ApiError && error.key === 'VALIDATION_FAILED'
    throw isLastOwner ? new ApiError('LAST_OWNER', {}, error.requestId) : error
  }
  leave()
}

const CloseDialog = ({
  name,
  onClose,
}: {
  readonly name: string
  readonly onClose: () => void
}) => (
  <Dialog title={words.close} onClose={onClose}>
    <p>{words.closeText}</p>
    <Form
      submit={words.close}
      look="danger"
      done={null}
      onCancel={onClose}
      onSubmit={async (values) => {
        await call('closeAccount', { body: { confirmation: textOf(values, 'confirmation') } })
        leave()
      }}
    >
      {(problems) => (
        <Field
          {...{ label: words.confirmation(name), name: 'confirmation', autoComplete: 'off' }}
          problem={problems.confirmation}
          required
        />
      )}
    </Form>
  </Dialog>
)
