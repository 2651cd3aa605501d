import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AdminAccountDetail, CreatedKey, DashboardKey } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Badge } from '../../kit/notice.tsx'
import { Section } from '../../kit/page.tsx'
import { SecretDialog } from '../../kit/secret.tsx'
import { RowActs, Table } from '../../kit/table.tsx'
import { asText } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { admin as words } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'
import { KEY_TONES } from '../tones.ts'
import { ReasonDialog } from './reason.tsx'

interface Chosen {
  readonly act: 'rotate' | 'revoke'
  readonly key: DashboardKey
}

/** The keys of an account; a new one is shown once. */
export function AccountKeys({ account }: { readonly account: AdminAccountDetail }) {
  const queries = useQueryClient()
  const [isIssuing, setIssuing] = useState(false)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const refresh = () => queries.invalidateQueries({ queryKey: ['listAccounts'] })
  return (
    <Section title={words.keys}>
      <Table
        caption={words.keys}
        empty={words.noKeys}
        rows={account.keys}
        keyOf={({ id }) => id}
        columns={[
          {
            head: words.name,
            cell: ({ id, name }) => (
              <Link to="/admin/accounts/$id/keys/$key" params={{ id: account.id, key: id }}>
                {asText(name)}
              </Link>
            ),
          },
          { head: words.key, cell: ({ prefix, last4 }) => <code>{`${prefix}…${last4}`}</code> },
          {
            head: words.status,
            cell: ({ status }) => (
              <Badge tone={KEY_TONES[status]}>{texts.keys.statuses[status]}</Badge>
            ),
          },
          {
            head: words.lastUsed,
            cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : words.never),
          },
          {
            head: texts.keys.actions,
            cell: (key) =>
              key.status !== 'revoked' && (
                <RowActs>
                  {key.status === 'active' && (
                    <Button look="quiet" onClick={() => setChosen({ act: 'rotate', key })}>
                      {words.rotate}
                    </Button>
                  )}
                  <Button look="quiet" onClick={() => setChosen({ act: 'revoke', key })}>
                    {words.revoke}
                  </Button>
                </RowActs>
              ),
          },
        ]}
      />
      <div>
        <Button onClick={() => setIssuing(true)}>{words.issueKey}</Button>
      </div>
      {isIssuing && (
        <IssueKey
          accountId={account.id}
          onClose={() => setIssuing(false)}
          onCreated={async (key) => {
            setCreated(key)
            setIssuing(false)
            await refresh()
          }}
        />
      )}
      {chosen?.act === 'rotate' && (
        <Confirm
          {...{
            title: `${words.rotate}: ${chosen.key.name}`,
            act: words.rotate,
            done: words.said.keyRotated,
          }}
          onClose={() => setChosen(null)}
          onConfirm={async () => {
            const params = { id: chosen.key.id }
            setCreated(await call('rotateAccountKey', { params, body: { overlapHours: 24 } }))
            await refresh()
          }}
        >
          <p>{words.rotateText}</p>
        </Confirm>
      )}
      {chosen?.act === 'revoke' && (
        <ReasonDialog
          {...{ title: `${words.revoke}: ${chosen.key.name}`, act: words.revoke, look: 'danger' }}
          done={words.said.keyRevoked}
          onClose={() => setChosen(null)}
          onSubmit={async (reason) => {
            await call('revokeAccountKey', { params: { id: chosen.key.id }, body: { reason } })
            await refresh()
          }}
        >
          {words.revokeText}
        </ReasonDialog>
      )}
      {created && (
        <SecretDialog
          {...{ title: created.name, value: created.apiKey, label: words.key }}
          onClose={() => setCreated(null)}
        >
          <p>{words.keyShown}</p>
        </SecretDialog>
      )}
    </Section>
  )
}

interface IssueKeyProps {
  readonly accountId: string
  readonly onClose: () => void
  readonly onCreated: (key: CreatedKey) => Promise<void>
}

const IssueKey = ({ accountId, onClose, onCreated }: IssueKeyProps) => (
  <Dialog title={words.issueKey} onClose={onClose}>
    <Form
      submit={words.issueKey}
      done={words.said.keyCreated}
      onCancel={onClose}
      onSubmit={async (values) => {
        const body = { name: textOf(values, 'name') }
        await onCreated(await call('createAccountKey', { params: { id: accountId }, body }))
      }}
    >
      {(problems) => (
        <Field label={words.keyName} name="name" problem={problems.name} autoFocus required />
      )}
    </Form>
  </Dialog>
)
