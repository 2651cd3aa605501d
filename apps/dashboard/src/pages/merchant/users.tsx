import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { CreateSubUserResponse } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Field, Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { choice, text } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { Money } from '../../kit/money.tsx'
import { Badge, Notice } from '../../kit/notice.tsx'
import { say } from '../../kit/said.tsx'
import { Time } from '../../kit/time.tsx'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { ADD_USER } from '../commands.ts'
import { ACCOUNT_TONES } from '../tones.ts'

const words = texts.merchant.users

export function UsersPage() {
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
        route="listUsers"
        filters={[
          text('q', words.search, words.searchHint),
          choice('status', words.status, words.statuses),
        ]}
        keyOf={({ id }) => id}
        open={({ id }) => ({ to: '/users/$id/{-$tab}', params: { id } })}
        empty={<Empty text={words.empty} command={ADD_USER} />}
        columns={[
          {
            head: words.one,
            cell: ({ externalId, email, id }) => externalId ?? email ?? <code>{id}</code>,
          },
          { head: texts.anonymous.email, isMinor: true, cell: ({ email }) => email },
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
            cell: ({ balance, currency }) => (
              <Money amount={balance} currency={currency ?? 'USD'} />
            ),
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
  const navigate = useNavigate()
  const [existing, setExisting] = useState<CreateSubUserResponse | null>(null)
  const create = async (values: FormData): Promise<void> => {
    const [email, platformId] = ['email', 'platformId'].map((name) => textOf(values, name))
    const currency = values.get('currency') === 'EUR' ? ('EUR' as const) : ('USD' as const)
    setExisting(null)
    const user = await call('createUser', {
      body: {
        currency,
        externalId: textOf(values, 'externalId'),
        ...(email && { email }),
        ...(platformId && { platformId }),
      },
    })
    if (user.idempotent) return setExisting(user)
    await queries.invalidateQueries({ queryKey: ['listUsers'] })
    await navigate({ to: '/users/$id/{-$tab}', params: { id: user.id } })
    say(words.added)
  }
  return (
    <Dialog title={words.create} onClose={onClose}>
      {existing && (
        <Notice tone="warn">
          <p>{words.exists(existing.externalId ?? existing.id)}</p>
          <p>
            <Link to="/users/$id/{-$tab}" params={{ id: existing.id }}>
              {words.openExisting}
            </Link>
          </p>
        </Notice>
      )}
      <Form submit={words.create} done={null} onCancel={onClose} onSubmit={create}>
        {(problems) => (
          <>
            <Field
              {...{ label: words.externalId, name: 'externalId', hint: words.externalIdHint }}
              problem={problems.externalId}
              required
              autoFocus
            />
            <Field
              {...{ label: words.email, name: 'email', type: 'email', problem: problems.email }}
            />
            <Field
              {...{ label: words.platformId, name: 'platformId', hint: words.platformIdHint }}
              problem={problems.platformId}
            />
            <Select label={words.currency} name="currency">
              <option value="USD">USD</option>
              <option value="EUR">EUR</option>
            </Select>
          </>
        )}
      </Form>
    </Dialog>
  )
}
