import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AdminAdjustment, PlannedAdjustment } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { DetailList, type DetailListProps } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { AMOUNT, Field, Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { choice } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { Money } from '../../kit/money.tsx'
import { Badge, Failure, Notice } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { Ago, Time } from '../../kit/time.tsx'
import { WaitingDetails } from '../../kit/waiting.tsx'
import { adjustmentQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { AccountLink } from './account-link.tsx'
import { ReasonDialog } from './reason.tsx'

const TONES = { proposed: 'warn', approved: 'good', withdrawn: 'plain', expired: 'plain' } as const

/** Adjustments of wallets: one administrator proposes, another one approves. */
export function AdjustmentsPage() {
  // The page of an account leads here with the account in the address.
  const { account } = useSearch({ from: '/shell/admin/adjustments' })
  const navigate = useNavigate({ from: '/admin/adjustments' })
  const [isProposing, setProposing] = useState(account !== undefined)
  const close = (): void => {
    setProposing(false)
    if (account === undefined) return
    void navigate({ search: ({ account: _, ...rest }) => rest, replace: true })
  }
  const { proposed, approved, withdrawn } = words.adjustmentStates
  return (
    <>
      <ListPage
        title={words.adjustments}
        route="listAdjustments"
        keyOf={({ id }) => id}
        filters={[choice('state', words.state, { proposed, approved, withdrawn })]}
        open={({ id }) => ({ to: '/admin/adjustments/$id', params: { id } })}
        empty={words.noAdjustments}
        act={() => (
          <Button look="main" onClick={() => setProposing(true)}>
            {words.propose}
          </Button>
        )}
        isLive
        columns={[
          { head: words.reference, cell: ({ reference }) => reference },
          { head: words.account, cell: ({ accountName }) => accountName },
          { head: words.side, width: 90, cell: ({ side }) => words.sides[side] },
          {
            head: words.amount,
            width: 130,
            align: 'end',
            cell: ({ amount, currency }) => <Money {...{ amount, currency }} />,
          },
          {
            head: words.state,
            width: 120,
            cell: ({ state }) => <Badge tone={TONES[state]}>{words.adjustmentStates[state]}</Badge>,
          },
          {
            head: words.proposedBy,
            width: 250,
            isMinor: true,
            cell: ({ proposedBy }) => proposedBy,
          },
          { head: words.at, width: 130, cell: ({ proposedAt }) => <Ago at={proposedAt} /> },
        ]}
      />
      {isProposing && <Propose account={account} onClose={close} />}
    </>
  )
}

/** What the first administrator froze, for the second one to approve. */
export function AdjustmentPage() {
  const { id } = useParams({ from: '/shell/admin/adjustments/$id' })
  const { data: adjustment, error } = useQuery(adjustmentQuery(id))
  const queries = useQueryClient()
  const [asked, setAsked] = useState<'approve' | 'withdraw' | null>(null)
  const keep = async (answer: AdminAdjustment): Promise<void> => {
    queries.setQueryData(adjustmentQuery(id).queryKey, answer)
    await queries.invalidateQueries({ queryKey: ['listAdjustments'] })
  }
  const isOpen = adjustment?.state === 'proposed'
  return (
    <Page
      title={words.adjustment}
      parent={[words.adjustments, { to: '/admin/adjustments' }]}
      act={
        isOpen && (
          <Button look="danger" onClick={() => setAsked('withdraw')}>
            {adjustment.isOwn ? words.withdraw : words.refuseIt}
          </Button>
        )
      }
    >
      {error && <Failure error={error} />}
      {adjustment === undefined && !error && <WaitingDetails count={12} />}
      {adjustment && (
        <>
          {isOpen && adjustment.isOwn && <Notice tone="warn">{words.anotherApproves}</Notice>}
          <AdjustmentDetails adjustment={adjustment} />
          {isOpen && !adjustment.isOwn && (
            <div>
              <Button look="main" onClick={() => setAsked('approve')}>
                {words.approve}
              </Button>
            </div>
          )}
          {asked === 'approve' && (
            <Confirm
              {...{ title: words.approve, act: words.approve, onClose: () => setAsked(null) }}
              done={words.said.approved}
              onConfirm={async () => keep(await call('approveAdjustment', { params: { id } }))}
            >
              <AdjustmentDetails adjustment={adjustment} />
            </Confirm>
          )}
          {asked === 'withdraw' && (
            <ReasonDialog
              {...{ title: words.withdraw, act: words.withdraw, look: 'danger' }}
              done={words.said.withdrawn}
              onClose={() => setAsked(null)}
              onSubmit={async (reason) =>
                keep(await call('withdrawAdjustment', { params: { id }, body: { reason } }))
              }
            >
              {words.withdrawText}
            </ReasonDialog>
          )}
        </>
      )}
    </Page>
  )
}

const AdjustmentDetails = ({ adjustment }: { readonly adjustment: AdminAdjustment }) => {
  const { side, wallet, decidedBy, decidedAt } = adjustment
  return (
    <DetailList
      details={[
        [words.side, words.sides[side]],
        [
          words.account,
          <AccountLink key="account" id={adjustment.accountId} name={adjustment.accountName} />,
        ],
        [words.email, adjustment.accountEmail],
        [words.wallet, words.walletKinds[wallet]],
        ...postingDetails(adjustment),
        [words.reason, adjustment.reason],
        [words.reference, adjustment.reference],
        [
          words.state,
          <Badge key="state" tone={TONES[adjustment.state]}>
            {words.adjustmentStates[adjustment.state]}
          </Badge>,
        ],
        [words.proposedBy, adjustment.proposedBy],
        [words.at, <Time key="at" at={adjustment.proposedAt} seconds />],
        [words.decidedBy, decidedBy],
        [words.decidedAt, decidedAt && <Time at={decidedAt} seconds />],
        [words.decision, adjustment.decision],
        [words.journal, adjustment.journalId],
      ]}
    />
  )
}

/** What both administrators see of the posting. */
const postingDetails = (
  posting: PlannedAdjustment | AdminAdjustment,
): DetailListProps['details'] => {
  const { debit, credit, amount, currency, balanceBefore, balanceAfter } = posting
  return [
    [words.debit, debit],
    [words.credit, credit],
    [words.amount, <Money key="amount" {...{ amount, currency }} />],
    [words.balanceBefore, <Money key="before" {...{ amount: balanceBefore, currency }} />],
    [words.balanceAfter, <Money key="after" {...{ amount: balanceAfter, currency }} />],
  ]
}

interface Order {
  readonly id: string
  /** As it was typed. */
  readonly account: string
  readonly wallet: 'spot' | 'earnings'
  readonly side: 'credit' | 'debit'
  readonly amount: string
  readonly reason: string
  readonly reference: string
}

/** First the form, then the posting that it makes, then the proposal. */
function Propose({
  account: given,
  onClose,
}: {
  readonly account: string | undefined
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  // Made with the form: one that is sent twice proposes once.
  const [id] = useState(() => uuidV7())
  const [planned, setPlanned] = useState<{ order: Order; plan: PlannedAdjustment } | null>(null)
  const plan = async (values: FormData): Promise<void> => {
    const order: Order = {
      id,
      account: textOf(values, 'account'),
      wallet: textOf(values, 'wallet') === 'earnings' ? 'earnings' : 'spot',
      side: textOf(values, 'side') === 'debit' ? 'debit' : 'credit',
      amount: textOf(values, 'amount'),
      reason: textOf(values, 'reason'),
      reference: textOf(values, 'reference'),
    }
    const { account, wallet, side, amount } = order
    const body = { account, wallet, side, amount }
    setPlanned({ order, plan: await call('planAdjustment', { body }) })
  }
  if (planned) {
    const { order, plan: shown } = planned
    const { account: _, ...rest } = order
    const { accountId, accountName, accountEmail } = shown
    return (
      <Confirm
        {...{ title: words.propose, act: words.proposeThis, onClose }}
        done={words.said.proposed}
        onConfirm={async () => {
          await call('proposeAdjustment', { body: { ...rest, accountId } })
          await queries.invalidateQueries({ queryKey: ['listAdjustments'] })
        }}
      >
        <DetailList
          details={[
            [words.account, accountName],
            [words.email, accountEmail],
            ...postingDetails(shown),
          ]}
        />
      </Confirm>
    )
  }
  return (
    <Dialog title={words.propose} onClose={onClose}>
      <Form submit={words.showPosting} done={null} onCancel={onClose} onSubmit={plan}>
        {(problems) => (
          <>
            <Field
              {...{ label: words.account, hint: words.accountHint, name: 'account' }}
              problem={problems.account}
              defaultValue={given ?? ''}
              autoFocus
              required
            />
            <Select label={words.side} name="side">
              <option value="credit">{words.sides.credit}</option>
              <option value="debit">{words.sides.debit}</option>
            </Select>
            <Select label={words.wallet} name="wallet">
              <option value="spot">{words.walletKinds.spot}</option>
              <option value="earnings">{words.walletKinds.earnings}</option>
            </Select>
            <Field
              {...{ label: words.amount, name: 'amount', ...AMOUNT }}
              problem={problems.amount}
              required
            />
            <Field label={words.reference} name="reference" hint={words.referenceHint} required />
            <Field label={words.reason} name="reason" required />
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** RFC 9562, section 5.7: its order is the order of creation, which lists follow. */
function uuidV7(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  const random = crypto.randomUUID()
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}
