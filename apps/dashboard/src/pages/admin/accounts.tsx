import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { AdminAccount } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Field, Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import css from '../../kit/kit.module.css'
import { formatMoney } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { pageNumberOf } from '../../kit/page-number.ts'
import { Pager } from '../../kit/pager.tsx'
import { Table } from '../../kit/table.tsx'
import { Text } from '../../kit/text.tsx'
import { accountsQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'
import { ACCOUNT_TONES } from '../tones.ts'
import { AccountLink } from './account-link.tsx'
import { OpenAccount } from './open-account.tsx'
import { ReasonDialog } from './reason.tsx'

export function AccountsPage() {
  const { q, kind, status, page: pageText } = useSearch({ from: '/shell/admin/accounts' })
  const chosenFilters = { ...(q && { q }), ...(kind && { kind }), ...(status && { status }) }
  const page = pageNumberOf(pageText)
  const navigate = useNavigate({ from: '/admin/accounts' })
  const { data, error } = useQuery(accountsQuery({ ...chosenFilters, page }))
  const [chosen, setChosen] = useState<AdminAccount | null>(null)
  const [opening, setOpening] = useState<'merchant' | 'partner' | null>(null)
  const search = async (values: FormData): Promise<void> => {
    const names = ['q', 'kind', 'status'] as const
    const chosen = names.map((name) => [name, textOf(values, name)] as const)
    await navigate({ search: Object.fromEntries(chosen.filter(([, value]) => value !== '')) })
  }
  return (
    <Page
      title={words.accounts}
      act={
        <span className={css.acts}>
          <Button onClick={() => setOpening('partner')}>{words.openPartner}</Button>
          <Button look="main" onClick={() => setOpening('merchant')}>
            {words.openMerchant}
          </Button>
        </span>
      }
    >
      <Form key={JSON.stringify(chosenFilters)} submit={words.find} isInRow onSubmit={search}>
        {() => (
          <>
            <Field label={words.search} name="q" type="search" defaultValue={q ?? ''} />
            <Select label={words.kind} name="kind" defaultValue={kind ?? ''}>
              <option value="">{words.allKinds}</option>
              {(['merchant', 'partner', 'child'] as const).map((each) => (
                <option key={each} value={each}>
                  {words.kinds[each]}
                </option>
              ))}
            </Select>
            <Select label={words.status} name="status" defaultValue={status ?? ''}>
              <option value="">{words.allStatuses}</option>
              {(['active', 'suspended', 'deleted'] as const).map((each) => (
                <option key={each} value={each}>
                  {words.statuses[each]}
                </option>
              ))}
            </Select>
          </>
        )}
      </Form>
      {error && <Failure error={error} />}
      {(data || !error) && (
        <>
          <Table
            caption={words.accounts}
            empty={words.none}
            rows={data?.items}
            expected={8}
            keyOf={({ id }) => id}
            columns={[
              {
                head: words.account,
                cell: ({ email, name, id }) => (
                  <>
                    <AccountLink id={id} name={name ?? email ?? id} />
                    {name !== null && email !== null && name !== email && (
                      <div className={css.hint}>
                        <Text>{email}</Text>
                      </div>
                    )}
                  </>
                ),
              },
              { head: words.kind, cell: ({ kind }) => words.kinds[kind] },
              { head: words.tier, cell: ({ tier }) => tier },
              {
                head: words.status,
                cell: ({ status }) => (
                  <Badge tone={ACCOUNT_TONES[status]}>{words.statuses[status]}</Badge>
                ),
              },
              {
                head: words.balance,
                align: 'end',
                cell: ({ balance, currency }) => formatMoney(balance, currency),
              },
              {
                head: texts.keys.actions,
                cell: (account) =>
                  account.status !== 'deleted' && (
                    <Button look="quiet" onClick={() => setChosen(account)}>
                      {account.status === 'active' ? words.suspend : words.reactivate}
                    </Button>
                  ),
              },
            ]}
          />
          {data && (
            <Pager
              {...{ page, totalPages: data.totalPages }}
              onPage={(to) => void navigate({ search: { ...chosenFilters, page: String(to) } })}
            />
          )}
        </>
      )}
      {opening && <OpenAccount kind={opening} onClose={() => setOpening(null)} />}
      {chosen && <StatusDialog account={chosen} onClose={() => setChosen(null)} />}
    </Page>
  )
}

export function StatusDialog({
  account,
  onClose,
}: {
  readonly account: Pick<AdminAccount, 'id' | 'email' | 'name' | 'status'>
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const isActive = account.status === 'active'
  const name = account.name ?? account.email ?? account.id
  return (
    <ReasonDialog
      {...(isActive
        ? { title: words.suspendTitle(name), act: words.suspend, look: 'danger' }
        : { title: words.reactivateTitle(name), act: words.reactivate })}
      done={(isActive ? words.said.suspended : words.said.reactivated)(name)}
      onClose={onClose}
      onSubmit={async (reason) => {
        const status = isActive ? 'suspended' : 'active'
        await call('updateAccount', { params: { id: account.id }, body: { status, reason } })
        await queries.invalidateQueries({ queryKey: ['listAccounts'] })
      }}
    >
      {isActive ? words.suspendText : words.reactivateText}
    </ReasonDialog>
  )
}
