import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { AdminAccountDetail } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { CopyId } from '../../kit/copy.tsx'
import { Columns, DetailList, Figures, Tabs } from '../../kit/detail.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Money } from '../../kit/money.tsx'
import { Badge, Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetails } from '../../kit/waiting.tsx'
import { accountQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { ACCOUNT_TONES } from '../tones.ts'
import { AccountKeys } from './account-keys.tsx'
import { AccountRecords, type AccountTab, tabsOf } from './account-records.tsx'
import { StatusDialog } from './accounts.tsx'
import { Debts } from './debts.tsx'
import { BpsField, bpsOf, TierChoice, tierOf } from './open-account.tsx'
import { ReasonDialog } from './reason.tsx'

type KeptAccount = AdminAccountDetail & {
  readonly kind: Exclude<AdminAccountDetail['kind'], 'sub_user'>
}

/** A merchant, a partner or a child: what it has, what it pays, and what an administrator changes. */
export function AccountPage() {
  const { id, tab = 'details' } = useParams({ from: '/shell/admin/accounts/$id/{-$tab}' })
  const { data: account, error } = useQuery(accountQuery(id))
  const [isSwitching, setSwitching] = useState(false)
  return (
    <Page
      title={account?.name ?? account?.email ?? account?.externalId ?? words.account}
      parent={[words.accounts, { to: '/admin/accounts' }]}
      act={
        account &&
        account.status !== 'deleted' &&
        account.kind !== 'sub_user' && (
          <Button
            look={account.status === 'active' ? 'danger' : 'main'}
            onClick={() => setSwitching(true)}
          >
            {account.status === 'active' ? words.suspend : words.reactivate}
          </Button>
        )
      }
    >
      {error && <Failure error={error} />}
      {account === undefined && !error && <WaitingDetails count={10} />}
      {account && (
        <>
          <Tabs
            tabs={tabsOf(account).map((each) => ({
              label: words.accountTabs[each],
              link: {
                to: '/admin/accounts/$id/{-$tab}',
                params: { id, tab: each === 'details' ? undefined : each },
              },
            }))}
          />
          {isRecords(tab) ? <AccountRecords id={id} tab={tab} /> : <Overview account={account} />}
        </>
      )}
      {account && isSwitching && (
        <StatusDialog account={account} onClose={() => setSwitching(false)} />
      )}
    </Page>
  )
}

/** What it has, and what an administrator changes of it. */
const Overview = ({ account }: { readonly account: AdminAccountDetail }) => (
  <Columns aside={<AccountDetails account={account} />}>
    <Figures
      figures={account.wallets.map(({ kind, balance, currency }) => [
        words.walletKinds[kind],
        <Money key={kind} {...{ amount: balance, currency }} />,
      ])}
    />
    <p>
      <Link to="/admin/adjustments" search={{ account: account.id }}>
        {words.adjust}
      </Link>
    </p>
    {account.status === 'deleted' && <Notice tone="warn">{words.deletedAccount}</Notice>}
    {account.kind === 'sub_user' && <p>{words.whoseSubUser}</p>}
    {isKept(account) && (
      <>
        <AccountKeys account={account} />
        <Fees account={account} />
        <Tier account={account} />
        {account.kind !== 'child' && (
          <>
            <Debts account={account} />
            <Look id={account.id} />
          </>
        )}
      </>
    )}
  </Columns>
)

const isRecords = (tab: string): tab is Exclude<AccountTab, 'details'> =>
  tab !== 'details' && Object.hasOwn(words.accountTabs, tab)

/** Administrators change it: a sub-user is its merchant's to change, a deleted account stays as it is. */
const isKept = (account: AdminAccountDetail): account is KeptAccount =>
  account.kind !== 'sub_user' && account.status !== 'deleted'

/** Opens the account's own pages, to read only. */
function Look({ id }: { readonly id: string }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <div>
      <Button onClick={() => setAsking(true)}>{words.look}</Button>
      {isAsking && (
        <ReasonDialog
          {...{ title: words.look, act: words.look, onClose: () => setAsking(false) }}
          done={null}
          onSubmit={async (reason) => {
            await call('beginImpersonation', { params: { id }, body: { reason } })
            window.location.assign('/dashboard')
          }}
        >
          {words.lookText}
        </ReasonDialog>
      )}
    </div>
  )
}

const AccountDetails = ({ account }: { readonly account: AdminAccountDetail }) => (
  <DetailList
    details={[
      [words.id, <CopyId key="id" value={account.id} what={words.id} />],
      [words.kind, words.kinds[account.kind]],
      [
        words.status,
        <Badge key="status" tone={ACCOUNT_TONES[account.status]}>
          {words.statuses[account.status]}
        </Badge>,
      ],
      [words.email, account.email],
      [words.externalId, account.externalId],
      [words.platformId, account.platformId],
      [words.tier, account.tier],
      [words.since, <Time key="since" at={account.createdAt} />],
      [words.login, <LoginOf key="login" account={account} />],
      [words.webhook, account.webhook?.url ?? words.noWebhook],
      [
        words.parent,
        account.parentId && (
          <Link to="/admin/accounts/$id/{-$tab}" params={{ id: account.parentId, tab: undefined }}>
            {account.parentId}
          </Link>
        ),
      ],
      [
        words.auditLog,
        <Link key="log" to="/admin/audit-log" search={{ accountId: account.id }}>
          {words.seeEntries}
        </Link>,
      ],
    ]}
  />
)

/** Children and sub-users have no people of their own. */
function LoginOf({ account: { id, kind, hasLogin } }: { readonly account: AdminAccountDetail }) {
  if (hasLogin) return words.hasLogin
  if (kind === 'child' || kind === 'sub_user') return words.noLogin
  return (
    <>
      {words.noLoginYet}{' '}
      <Link to="/admin/accounts/$id/{-$tab}" params={{ id, tab: 'members' }}>
        {words.seeInvitations}
      </Link>
    </>
  )
}

const FEES = {
  merchant: ['feeBps', 'buyFeeBps', 'sellFeeBps', 'childDefaultFeeBps'],
  partner: ['feeBps', 'buyFeeBps'],
  child: ['feeBps'],
} as const
const labelsOf = (kind: KeptAccount['kind']) => ({
  feeBps: words.fee,
  buyFeeBps: words.buyFee[kind === 'merchant' ? 'merchant' : 'partner'],
  sellFeeBps: words.sellFee,
  childDefaultFeeBps: words.childFee,
})

function Fees({ account }: { readonly account: KeptAccount }) {
  const queries = useQueryClient()
  const names = FEES[account.kind]
  const labels = labelsOf(account.kind)
  const [isSet, setSet] = useState(false)
  return (
    <Section title={words.fees}>
      <Form
        key={JSON.stringify(account.fees)}
        submit={words.setFees}
        onSubmit={async (values) => {
          setSet(false)
          const fees = names.flatMap((name) => {
            const bps = bpsOf(values, name)
            return bps === undefined ? [] : [[name, bps] as const]
          })
          await call('setAccountFees', {
            params: { id: account.id },
            body: { ...Object.fromEntries(fees), reason: textOf(values, 'reason') },
          })
          await queries.invalidateQueries({ queryKey: ['listAccounts'] })
          setSet(true)
        }}
      >
        {(problems) => (
          <>
            {isSet && <Notice tone="good">{words.feesSet}</Notice>}
            {names.map((name) => (
              <BpsField
                key={name}
                {...{ name, problems, label: labels[name], value: account.fees[name] }}
              />
            ))}
            <Field label={words.reason} name="reason" problem={problems.reason} required />
            <p>{words.feesHold}</p>
          </>
        )}
      </Form>
    </Section>
  )
}

function Tier({ account }: { readonly account: AdminAccountDetail }) {
  const queries = useQueryClient()
  const [tier, setTier] = useState<AdminAccountDetail['tier'] | null>(null)
  return (
    <Section title={words.tier}>
      <Form
        submit={words.setTier}
        look="plain"
        onSubmit={async (values) => setTier(tierOf(values))}
      >
        {() => <TierChoice value={account.tier} />}
      </Form>
      {tier && (
        <ReasonDialog
          {...{ title: words.setTier, act: words.setTier, onClose: () => setTier(null) }}
          done={words.said.tierSet(tier)}
          onSubmit={async (reason) => {
            await call('updateAccount', { params: { id: account.id }, body: { tier, reason } })
            await queries.invalidateQueries({ queryKey: ['listAccounts'] })
          }}
        >
          {`${account.tier} → ${tier}`}
        </ReasonDialog>
      )}
    </Section>
  )
}
