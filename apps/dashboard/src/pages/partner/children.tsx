import { useQueryClient } from '@tanstack/react-query'
import type { ChildResponse } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { choice, text } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { Money } from '../../kit/money.tsx'
import { Badge, Notice } from '../../kit/notice.tsx'
import { SecretDialog } from '../../kit/secret.tsx'
import { Time } from '../../kit/time.tsx'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { ACCOUNT_TONES } from '../tones.ts'

const words = texts.partner.children

export function ChildrenPage() {
  const [isCreating, setCreating] = useState(false)
  const mayWrite = useCapability('users.write')
  return (
    <>
      <ListPage
        title={words.title}
        act={() =>
          mayWrite && (
            <Button look="main" onClick={() => setCreating(true)}>
              {words.create}
            </Button>
          )
        }
        route="listChildren"
        filters={[
          text('q', words.search, words.searchHint),
          choice('status', words.status, words.statuses),
        ]}
        keyOf={({ id }) => id}
        open={({ id }) => ({ to: '/children/$id/{-$tab}', params: { id } })}
        empty={words.empty}
        columns={[
          { head: words.one, cell: ({ email, id }) => email ?? <code>{id}</code> },
          { head: words.name, isMinor: true, cell: ({ name }) => name },
          {
            head: words.status,
            width: 116,
            cell: ({ status }) => (
              <Badge tone={ACCOUNT_TONES[status]}>{words.statuses[status]}</Badge>
            ),
          },
          {
            head: words.balance,
            width: 140,
            align: 'end',
            cell: ({ balance }) => <Money amount={balance} currency="USD" />,
          },
          { head: words.created, width: 172, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </>
  )
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [made, setMade] = useState<ChildResponse | null>(null)
  const create = async (values: FormData): Promise<void> => {
    const [name, description] = [textOf(values, 'name'), textOf(values, 'description')]
    const body = {
      email: textOf(values, 'email'),
      ...(name && { name }),
      ...(description && { description }),
    }
    setMade(await call('openChild', { body }))
    await queries.invalidateQueries({ queryKey: ['listChildren'] })
  }
  if (made?.apiKey !== undefined) {
    return (
      <SecretDialog {...{ title: made.email, value: made.apiKey, label: texts.keys.key, onClose }}>
        <p>{words.createdText}</p>
      </SecretDialog>
    )
  }
  if (made !== null) {
    return (
      <Dialog title={made.email} onClose={onClose}>
        <Notice>{words.exists}</Notice>
        <div>
          <Button onClick={onClose}>{texts.actions.close}</Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={words.create} onClose={onClose}>
      <p>{words.createText}</p>
      <Form submit={words.create} done={null} onCancel={onClose} onSubmit={create}>
        {(problems) => (
          <>
            <Field
              {...{ label: words.email, name: 'email', type: 'email', problem: problems.email }}
              autoFocus
              required
            />
            <Field {...{ label: words.nameOptional, name: 'name', problem: problems.name }} />
            <Field
              {...{ label: words.description, name: 'description' }}
              problem={problems.description}
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}
