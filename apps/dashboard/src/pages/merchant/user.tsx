import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { DashboardSubUser } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { CopyId } from '../../kit/copy.tsx'
import { DetailList, Tabs } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { AMOUNT, Field } from '../../kit/field.tsx'
import { amountIn, Form, textOf } from '../../kit/form.tsx'
import { hundredthsOf, ofHundred } from '../../kit/hundredths.ts'
import { Meter } from '../../kit/meter.tsx'
import { formatMoney, Money } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Acts, Page } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetails } from '../../kit/waiting.tsx'
import { feesQuery, userQuery, walletsQuery } from '../../queries/merchant.ts'
import { useCapability } from '../../queries/session.ts'
import { formatCount, texts } from '../../texts/texts.ts'
import { StatementsOf } from '../money/statements.tsx'
import { ACCOUNT_TONES } from '../tones.ts'
import { UserLedger } from './ledger.tsx'
import { TradesOfUser } from './trades.tsx'

const words = texts.merchant.users
const { percent, default: byDefault } = texts.merchant.fees

const TABS = ['details', 'trades', 'ledger', 'statements'] as const
type Act = 'fund' | 'defund' | 'edit' | 'status' | 'delete'

export function UserPage() {
  const { id, tab = 'details' } = useParams({ from: '/shell/users/$id/{-$tab}' })
  const { data: user, error } = useQuery(userQuery(id))
  const [act, setAct] = useState<Act | null>(null)
  const close = (): void => setAct(null)
  // There before the sub-user is, as of an active one: a press opens the dialog once it is there.
  const hasActs = user ? user.status !== 'deleted' : !error
  return (
    <Page
      title={user ? nameOf(user) : words.one}
      parent={[words.title, { to: '/users' }]}
      act={hasActs && <UserActs isSuspended={user?.status === 'suspended'} onAct={setAct} />}
    >
      <Tabs
        tabs={TABS.map((each) => ({
          label: words.tabs[each],
          link: {
            to: '/users/$id/{-$tab}',
            params: { id, tab: each === 'details' ? undefined : each },
          },
        }))}
      />
      {error && <Failure error={error} />}
      {user === undefined && !error && <WaitingDetails count={8} />}
      {user && <TabOfUser tab={tab} user={user} />}
      {user && (act === 'fund' || act === 'defund') && (
        <FundDialog {...{ user, act, onClose: close }} />
      )}
      {user && act === 'edit' && <EditDialog {...{ user, onClose: close }} />}
      {user && act === 'delete' && <DeleteDialog {...{ user, onClose: close }} />}
      {user && act === 'status' && <StatusDialog {...{ user, onClose: close }} />}
    </Page>
  )
}

/** The details for an unknown tab, too. */
function TabOfUser({ tab, user }: { readonly tab: string; readonly user: DashboardSubUser }) {
  if (tab === 'trades') return <TradesOfUser id={user.id} />
  if (tab === 'ledger') return <UserLedger id={user.id} currency={user.wallet?.currency ?? 'USD'} />
  if (tab === 'statements') return <StatementsOf id={user.id} />
  return <UserDetails {...user} />
}

const nameOf = ({ externalId, email, id }: DashboardSubUser): string => externalId ?? email ?? id

function UserActs({
  isSuspended,
  onAct,
}: {
  readonly isSuspended: boolean
  readonly onAct: (act: Act) => void
}) {
  const mayFund = useCapability('money.write')
  const mayWrite = useCapability('users.write')
  return (
    <Acts>
      {mayFund && (
        <>
          <Button look="main" onClick={() => onAct('fund')}>
            {words.fund}
          </Button>
          <Button onClick={() => onAct('defund')}>{words.defund}</Button>
        </>
      )}
      {mayWrite && (
        <>
          <Button onClick={() => onAct('edit')}>{words.edit}</Button>
          <Button onClick={() => onAct('status')}>
            {isSuspended ? words.reactivate : words.suspend}
          </Button>
          <Button look="danger" onClick={() => onAct('delete')}>
            {words.delete}
          </Button>
        </>
      )}
    </Acts>
  )
}

const UserDetails = (user: DashboardSubUser) => (
  <DetailList
    details={[
      [
        words.status,
        <Badge key="status" tone={ACCOUNT_TONES[user.status]}>
          {words.statuses[user.status]}
        </Badge>,
      ],
      [
        words.balance,
        user.wallet && (
          <Money amount={user.wallet.balance} currency={user.wallet.currency ?? 'USD'} />
        ),
      ],
      [words.externalId, user.externalId],
      [texts.anonymous.email, user.email],
      [texts.merchant.trades.platformId, user.platformId && <code>{user.platformId}</code>],
      [words.feeBps, user.feeBps === null ? <DefaultFee key="fee" /> : percent(user.feeBps)],
      [words.limits, <Limits key="limits" {...user} />],
      [words.created, <Time key="created" at={user.createdAt} seconds />],
      ['Id', <CopyId key="id" value={user.id} what={words.one} />],
    ]}
  />
)

/** With what is used of those that fill up. */
function Limits({ limits, wallet, used }: DashboardSubUser) {
  if (limits === null || used === null) return words.noLimits
  const amount = (ofCents: number): string => formatMoney(ofCents / 100, wallet?.currency ?? 'USD')
  const { perTradeCents, perDayCents, openTrades } = limits
  const day = perDayCents !== undefined && words.perDay(amount(used.dayCents), amount(perDayCents))
  const open =
    openTrades !== undefined &&
    words.openTrades(formatCount(used.openTrades), formatCount(openTrades))
  return (
    <>
      {perTradeCents !== undefined && <div>{words.perTrade(amount(perTradeCents))}</div>}
      {day && (
        <div>
          {day}
          <Meter {...{ label: day, used: used.dayCents, limit: perDayCents }} />
        </div>
      )}
      {open && (
        <div>
          {open}
          <Meter {...{ label: open, used: used.openTrades, limit: openTrades }} />
        </div>
      )}
    </>
  )
}

/** Of a sub-user without a service fee of its own. */
function DefaultFee() {
  const { data: fees } = useQuery(feesQuery)
  return fees && byDefault(percent(fees.effectiveChildFeeBps))
}

interface DialogProps {
  readonly user: DashboardSubUser
  readonly onClose: () => void
}

function FundDialog({ user, act, onClose }: DialogProps & { readonly act: 'fund' | 'defund' }) {
  const queries = useQueryClient()
  const { data: wallets } = useQuery(walletsQuery)
  // Made with the dialog: a second click sends the same transfer.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const isFund = act === 'fund'
  const spot = wallets?.find(({ type }) => type === 'spot')
  const own = spot?.currency ?? 'USD'
  const source = isFund ? spot : user.wallet
  const said = isFund ? words.funded : words.defunded
  const send = async (values: FormData): Promise<void> => {
    const request = {
      params: { id: user.id },
      body: { amount: textOf(values, 'amount') },
      idempotencyKey,
    }
    await call(isFund ? 'fundUser' : 'defundUser', request)
    await Promise.all(
      [userQuery(user.id).queryKey, walletsQuery.queryKey, ['listUserLedger'], ['listUsers']].map(
        (queryKey) => queries.invalidateQueries({ queryKey }),
      ),
    )
    onClose()
  }
  return (
    <Dialog
      title={isFund ? words.fundTitle(nameOf(user)) : words.defundTitle(nameOf(user))}
      onClose={onClose}
    >
      <p>{isFund ? words.fundText : words.defundText}</p>
      {user.wallet && user.wallet.currency !== own && <p>{words.converted}</p>}
      <Form
        submit={isFund ? words.fund : words.defund}
        done={(values) => said(amountIn(values, own), nameOf(user))}
        onCancel={onClose}
        onSubmit={send}
      >
        {(problems) => (
          <Field
            {...{ label: words.amount(own), name: 'amount', ...AMOUNT }}
            hint={words.amountHint(
              source ? formatMoney(source.balance, source.currency ?? own) : null,
            )}
            problem={problems.amount}
            autoFocus
            required
          />
        )}
      </Form>
    </Dialog>
  )
}

function StatusDialog({ user, onClose }: DialogProps) {
  const queries = useQueryClient()
  // As it was asked: the new status is there before the dialog is closed.
  const [isSuspension] = useState(user.status === 'active')
  const name = nameOf(user)
  return (
    <Confirm
      title={isSuspension ? words.suspendTitle(name) : words.reactivateTitle(name)}
      act={isSuspension ? words.suspend : words.reactivate}
      look={isSuspension ? 'danger' : 'main'}
      done={(isSuspension ? words.suspended : words.reactivated)(name)}
      onClose={onClose}
      onConfirm={async () => {
        await call(isSuspension ? 'suspendUser' : 'reactivateUser', { params: { id: user.id } })
        await Promise.all([
          queries.invalidateQueries(userQuery(user.id)),
          queries.invalidateQueries({ queryKey: ['listUsers'] }),
        ])
      }}
    >
      <p>{isSuspension ? words.suspendText : words.reactivateText}</p>
    </Confirm>
  )
}

/** Null where none is set; in the order in which they are shown. */
function limitsIn(values: FormData): DashboardSubUser['limits'] {
  const centsOf = (name: string): number | null =>
    textOf(values, name) === '' ? null : hundredthsOf(textOf(values, name))
  const [perTradeCents, perDayCents] = [centsOf('perTrade'), centsOf('perDay')]
  const openTrades = textOf(values, 'openTrades')
  const limits = {
    ...(perTradeCents !== null && { perTradeCents }),
    ...(perDayCents !== null && { perDayCents }),
    ...(openTrades !== '' && { openTrades: Number(openTrades) }),
  }
  return Object.keys(limits).length === 0 ? null : limits
}

/** What it has can be changed and not taken away; its limits can. */
function EditDialog({ user, onClose }: DialogProps) {
  const queries = useQueryClient()
  const save = async (values: FormData): Promise<void> => {
    const changed = (['externalId', 'email', 'platformId'] as const)
      .map((name) => [name, textOf(values, name)] as const)
      .filter(([name, value]) => value !== (user[name] ?? ''))
    const limits = limitsIn(values)
    const isLimited = JSON.stringify(limits) !== JSON.stringify(user.limits)
    if (changed.length > 0 || isLimited) {
      const params = { id: user.id }
      const body = { ...Object.fromEntries(changed), ...(isLimited && { limits }) }
      await call('updateUser', { params, body })
      // Limits that are left out stay. All are lifted only after the others were accepted.
      const isOneLifted = Object.keys(user.limits ?? {}).some((name) => !(name in (limits ?? {})))
      if (limits !== null && isOneLifted) {
        await call('updateUser', { params, body: { limits: null } })
        await call('updateUser', { params, body: { limits } })
      }
      await Promise.all([
        queries.invalidateQueries(userQuery(user.id)),
        queries.invalidateQueries({ queryKey: ['listUsers'] }),
      ])
    }
    onClose()
  }
  return (
    <Dialog title={words.editTitle(nameOf(user))} onClose={onClose}>
      <Form
        submit={texts.actions.save}
        done={texts.actions.saved}
        onCancel={onClose}
        onSubmit={save}
      >
        {(problems) => (
          <>
            <Field
              {...{ label: words.externalId, name: 'externalId', problem: problems.externalId }}
              defaultValue={user.externalId ?? ''}
              required={user.externalId !== null}
              autoFocus
            />
            <Field
              {...{ label: texts.anonymous.email, name: 'email', type: 'email' }}
              defaultValue={user.email ?? ''}
              required={user.email !== null}
              problem={problems.email}
            />
            <Field
              {...{ label: texts.merchant.trades.platformId, name: 'platformId' }}
              hint={words.platformIdHint}
              defaultValue={user.platformId ?? ''}
              required={user.platformId !== null}
              problem={problems.platformId}
            />
            <LimitFields user={user} problems={problems} />
          </>
        )}
      </Form>
    </Dialog>
  )
}

function DeleteDialog({ user, onClose }: DialogProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <Confirm
      {...{ title: words.deleteTitle(nameOf(user)), act: words.delete, look: 'danger', onClose }}
      done={words.deleted(nameOf(user))}
      onConfirm={async () => {
        await call('deleteUser', { params: { id: user.id } })
        await queries.invalidateQueries({ queryKey: ['listUsers'] })
        await navigate({ to: '/users', replace: true })
      }}
    >
      <p>{words.deleteText}</p>
      <p>{words.deleteRule}</p>
    </Confirm>
  )
}

/** Zero is allowed: it refuses every buy. */
const LIMIT = { ...AMOUNT, min: '0', max: '10000000000' } as const

function LimitFields({
  user: { limits, wallet },
  problems,
}: {
  readonly user: DashboardSubUser
  readonly problems: Readonly<Record<string, string>>
}) {
  const currency = wallet?.currency ?? 'USD'
  const shown = (amountCents: number | undefined): string | undefined =>
    amountCents === undefined ? undefined : ofHundred(amountCents)
  return (
    <>
      <Field
        {...{ label: words.perTradeLabel(currency), name: 'perTrade', ...LIMIT }}
        defaultValue={shown(limits?.perTradeCents)}
        problem={problems.perTrade ?? problems.limits}
      />
      <Field
        {...{ label: words.perDayLabel(currency), name: 'perDay', ...LIMIT }}
        defaultValue={shown(limits?.perDayCents)}
        problem={problems.perDay}
      />
      <Field
        {...{ label: words.openTradesLabel, name: 'openTrades', inputMode: 'numeric' }}
        {...{ hint: words.limitsHint, min: '0', max: '1000000', problem: problems.openTrades }}
        defaultValue={limits?.openTrades}
      />
    </>
  )
}
