// Money from the partner's wallet to a child: the dialog that moves it, and the lists of what was moved.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { DashboardChild, DashboardTransfer } from '@tradepost/contract'
import { useId, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Export } from '../../kit/export.tsx'
import { AMOUNT, Field } from '../../kit/field.tsx'
import { amountIn, Form, textOf } from '../../kit/form.tsx'
import { hundredthsOf } from '../../kit/hundredths.ts'
import { text, time } from '../../kit/list/filters.ts'
import { List, type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { formatMoney, Money } from '../../kit/money.tsx'
import { Acts } from '../../kit/page.tsx'
import { Text } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { partnerOverviewQuery, periodOf } from '../../queries/overview.ts'
import { childQuery, childrenLikeQuery } from '../../queries/partner.ts'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'

const words = texts.partner.transfers

const COLUMNS: readonly ListColumn<DashboardTransfer>[] = [
  { head: words.child, cell: ({ email, childId }) => email ?? <code>{childId}</code> },
  {
    head: words.reference,
    width: 310,
    isMinor: true,
    cell: ({ reference }) =>
      reference && (
        <code>
          <Text>{reference}</Text>
        </code>
      ),
  },
  {
    head: words.amount,
    width: 140,
    align: 'end',
    cell: ({ amount }) => <Money amount={amount} currency="USD" />,
  },
  { head: words.made, width: 172, cell: ({ occurredAt }) => <Time at={occurredAt} /> },
]

const TRANSFERS = {
  route: 'listTransfers',
  columns: COLUMNS,
  keyOf: ({ id }: DashboardTransfer) => id,
  empty: words.empty,
} as const

export function TransfersPage() {
  const [isOpen, setOpen] = useState(false)
  const mayTransfer = useCapability('money.write')
  return (
    <>
      <ListPage
        {...TRANSFERS}
        title={words.title}
        act={(query) => (
          <Acts>
            {mayTransfer && (
              <Button look="main" onClick={() => setOpen(true)}>
                {words.make}
              </Button>
            )}
            <Export what="transfers" title={words.title} query={query} />
          </Acts>
        )}
        filters={[time(words.made), text('childId', words.childId)]}
        open={({ childId }) =>
          childId === null
            ? null
            : { to: '/children/$id/{-$tab}', params: { id: childId, tab: undefined } }
        }
      />
      {isOpen && <TransferDialog child={null} onClose={() => setOpen(false)} />}
    </>
  )
}

/** On the page of a child. */
export const TransfersToChild = ({ id }: { readonly id: string }) => (
  <List {...TRANSFERS} caption={words.title} filters={[time(words.made)]} fixed={{ childId: id }} />
)

/** Asks for the child by its e-mail address unless it is known. */
export function TransferDialog({
  child,
  onClose,
}: {
  readonly child: DashboardChild | null
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const totals = useQuery(partnerOverviewQuery(periodOf({}))).data?.totals
  // Made with the dialog: a second click sends the same transfer.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const send = async (values: FormData): Promise<void> => {
    const to =
      child === null ? { toEmail: textOf(values, 'toEmail') } : { toApiKeyId: child.apiKeyId }
    const amountCents = hundredthsOf(textOf(values, 'amountCents'))
    await call('makeTransfer', { body: { ...to, amountCents, idempotencyKey } })
    const changed = [
      ...[['listTransfers'], ['listChildLedger'], ['getPartnerOverview']],
      ...(child === null ? [] : [childQuery(child.id).queryKey]),
    ]
    await Promise.all(changed.map((queryKey) => queries.invalidateQueries({ queryKey })))
    onClose()
  }
  return (
    <Dialog
      title={child === null ? words.make : words.makeTo(child.email ?? child.id)}
      onClose={onClose}
    >
      <p>{words.text}</p>
      <Form
        submit={words.make}
        done={(values) => {
          const to = child === null ? textOf(values, 'toEmail') : (child.email ?? child.id)
          return texts.merchant.users.funded(amountIn(values, 'USD', 'amountCents'), to)
        }}
        onCancel={onClose}
        onSubmit={send}
      >
        {(problems) => (
          <>
            {child === null && <ChildField problem={problems.toEmail} />}
            <Field
              {...{ label: texts.merchant.users.amount('USD'), name: 'amountCents' }}
              {...AMOUNT}
              hint={texts.merchant.users.amountHint(
                totals ? formatMoney(totals.spotBalance, 'USD') : null,
              )}
              problem={problems.amountCents}
              autoFocus={child !== null}
              required
            />
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** Offers the children whose e-mail address begins as what was typed. */
function ChildField({ problem }: { readonly problem: string | undefined }) {
  const known = useId()
  const [typed, setTyped] = useState('')
  const { data } = useQuery(childrenLikeQuery(typed.trim()))
  return (
    <>
      <Field
        {...{ label: words.to, name: 'toEmail', type: 'email', list: known, problem }}
        onChange={({ target }) => setTyped(target.value)}
        autoFocus
        required
      />
      <datalist id={known}>
        {data?.items.map(
          ({ id, email, name }) =>
            email !== null && <option key={id} value={email} label={name ?? undefined} />,
        )}
      </datalist>
    </>
  )
}
