import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { CreatedKey, DashboardKey } from '@tradepost/contract'
import { KEY_SCOPES, type KeyScope, SCOPE_PRESETS } from '@tradepost/contract/scopes'
import { type ReactNode, useState } from 'react'
import { callFor } from '../../api/for-child.ts'
import { Button } from '../../kit/button.tsx'
import { DetailList } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { AMOUNT, Field, Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { hundredthsOf, ofHundred } from '../../kit/hundredths.ts'
import { Meter } from '../../kit/meter.tsx'
import { formatMoney } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { SecretDialog } from '../../kit/secret.tsx'
import { RowActs, Table } from '../../kit/table.tsx'
import { asText } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { keysQuery } from '../../queries/account.ts'
import { sessionQuery, useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { exportOf, keyVariableOf } from '../commands.ts'
import { KEY_TONES } from '../tones.ts'

const { keys: words, actions } = texts
export const OVERLAPS = [0, 1, 24, 72] as const

type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly key: DashboardKey }
  | { readonly kind: 'created'; readonly key: CreatedKey }

export const KeysPage = () => (
  <Keys>
    {(act, list) => (
      <Page title={words.title} act={act}>
        {list}
      </Page>
    )}
  </Keys>
)

/** On the page of a child, for its partner. */
export const KeysOfChild = ({ childId }: { readonly childId: string }) => (
  <Keys childId={childId}>
    {(act, list) => (
      <Section title={words.title}>
        <div>{act}</div>
        {list}
      </Section>
    )}
  </Keys>
)

function Keys({
  childId,
  children,
}: {
  readonly childId?: string
  readonly children: (act: ReactNode, list: ReactNode) => ReactNode
}) {
  const { data: keys, error } = useQuery(keysQuery(childId))
  const [open, setOpen] = useState<Open | null>(null)
  const mayWrite = useCapability('keys.write')
  return children(
    mayWrite && (
      <Button look="main" onClick={() => setOpen({ kind: 'create' })}>
        {words.create}
      </Button>
    ),
    <>
      {error && <Failure error={error} />}
      {(keys || !error) && (
        <Table
          caption={words.title}
          empty={words.empty}
          rows={keys}
          keyOf={({ id }) => id}
          columns={[
            {
              head: words.name,
              cell: ({ id, name }) => <Link {...requestsOf(id, childId)}>{asText(name)}</Link>,
            },
            {
              head: words.key,
              cell: (key) => <code>{masked(key)}</code>,
            },
            {
              head: words.status,
              cell: ({ status, validUntil }) => (
                <>
                  <Badge tone={KEY_TONES[status]}>{words.statuses[status]}</Badge>
                  {status === 'rotating' && validUntil && (
                    <div>
                      {words.until} <Time at={validUntil} />
                    </div>
                  )}
                </>
              ),
            },
            {
              head: words.networks,
              cell: ({ allowlist }) => (allowlist.length > 0 ? allowlist.join(', ') : words.any),
            },
            {
              head: words.may,
              cell: ({ scopes, accounts, expiresAt }) => (
                <>
                  {scopes.length === KEY_SCOPES.length ? words.everything : scopes.join(', ')}
                  {accounts && <div>{words.onlyFor(accounts.length)}</div>}
                  {expiresAt && (
                    <div>
                      {words.ends} <Time at={expiresAt} />
                    </div>
                  )}
                </>
              ),
            },
            {
              head: words.spending,
              cell: spendingOf,
            },
            {
              head: words.lastUsed,
              cell: lastUseOf,
            },
            {
              head: words.actions,
              cell: (key) =>
                mayWrite &&
                key.status !== 'revoked' && (
                  <RowActs>
                    <Button
                      {...{ look: 'quiet', size: 'small' }}
                      onClick={() => setOpen({ kind: 'edit', key })}
                    >
                      {words.edit}
                    </Button>
                    {key.status === 'active' && (
                      <Button
                        {...{ look: 'quiet', size: 'small' }}
                        onClick={() => setOpen({ kind: 'rotate', key })}
                      >
                        {words.rotate}
                      </Button>
                    )}
                    <Button
                      {...{ look: 'quiet', size: 'small' }}
                      onClick={() => setOpen({ kind: 'revoke', key })}
                    >
                      {words.revoke}
                    </Button>
                  </RowActs>
                ),
            },
          ]}
        />
      )}
      {open && <KeyDialog open={open} onChange={setOpen} childId={childId} />}
    </>,
  )
}

function KeyDialog({
  open,
  onChange,
  childId,
}: {
  readonly open: Open
  readonly onChange: (open: Open | null) => void
  readonly childId: string | undefined
}) {
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const close = (): void => onChange(null)
  const refresh = () => queries.invalidateQueries(keysQuery(childId))
  const show = async (key: CreatedKey): Promise<void> => {
    await refresh()
    onChange({ kind: 'created', key })
  }
  switch (open.kind) {
    case 'create':
      return (
        <Dialog title={words.create} onClose={close}>
          <Form
            submit={words.create}
            done={words.said.created}
            onCancel={close}
            onSubmit={async (values) => {
              await show(await callFor(childId, 'createKey', { body: bodyIn(values) }))
            }}
          >
            {(problems) => <KeyFields problems={problems} isChild={childId !== undefined} />}
          </Form>
        </Dialog>
      )
    case 'edit':
      return (
        <Dialog title={words.editTitle(open.key.name)} onClose={close}>
          <Form
            submit={actions.save}
            done={actions.saved}
            onCancel={close}
            onSubmit={async (values) => {
              const params = { id: open.key.id }
              await callFor(childId, 'updateKey', { params, body: bodyIn(values) })
              await refresh()
              close()
            }}
          >
            {(problems) => (
              <KeyFields problems={problems} value={open.key} isChild={childId !== undefined} />
            )}
          </Form>
        </Dialog>
      )
    case 'created':
      return (
        <SecretDialog
          {...{ title: words.createdTitle, value: open.key.apiKey, label: words.key }}
          command={{
            text: words.createdCommand,
            value: exportOf(keyVariableOf(session?.user.accountKind), open.key.apiKey),
          }}
          onClose={close}
        >
          <p>{words.createdText}</p>
        </SecretDialog>
      )
    case 'rotate':
      return (
        <Dialog title={words.rotateTitle(open.key.name)} onClose={close}>
          <Form
            submit={words.rotate}
            done={words.said.rotated}
            onCancel={close}
            onSubmit={async (values) => {
              const overlapHours =
                OVERLAPS.find((hours) => String(hours) === values.get('overlap')) ?? 24
              const params = { id: open.key.id }
              await show(await callFor(childId, 'rotateKey', { params, body: { overlapHours } }))
            }}
          >
            {() => (
              <Select label={words.rotateText} name="overlap" defaultValue="24">
                {OVERLAPS.map((hours) => (
                  <option key={hours} value={hours}>
                    {words.overlap(hours)}
                  </option>
                ))}
              </Select>
            )}
          </Form>
        </Dialog>
      )
    case 'revoke':
      return (
        <Dialog title={words.revokeTitle(open.key.name)} onClose={close}>
          <Form
            submit={words.revoke}
            done={words.said.revoked}
            look="danger"
            onCancel={close}
            onSubmit={async () => {
              await callFor(childId, 'revokeKey', { params: { id: open.key.id } })
              await refresh()
              close()
            }}
          >
            {() => (
              <>
                <DetailList
                  details={[
                    [words.key, <code key="key">{masked(open.key)}</code>],
                    [words.lastUsed, lastUseOf(open.key)],
                  ]}
                />
                <p>{words.revokeText}</p>
              </>
            )}
          </Form>
        </Dialog>
      )
  }
}

const requestsOf = (id: string, childId: string | undefined): LinkProps =>
  childId === undefined
    ? { to: '/keys/$id', params: { id } }
    : { to: '/children/$id/keys/$key', params: { id: childId, key: id } }

const masked = ({ prefix, last4 }: DashboardKey): string => `${prefix}…${last4}`

const lastUseOf = ({ lastUsedAt }: DashboardKey): ReactNode =>
  lastUsedAt ? <Time at={lastUsedAt} /> : words.never

function spendingOf({ spendLimit, spentCents }: DashboardKey): ReactNode {
  if (spendLimit === null) return words.noLimit
  const { amountCents, window } = spendLimit
  const label = words.spent(dollars(spentCents), dollars(amountCents))
  return (
    <>
      {label} · {words.windows[window]}
      <Meter {...{ label, used: spentCents, limit: amountCents }} />
    </>
  )
}

const dollars = (amountCents: number): string => formatMoney(amountCents / 100, 'USD')

const listIn = (values: FormData, name: string): string[] =>
  textOf(values, name)
    .split(/[\s,]+/)
    .filter(Boolean)

function bodyIn(values: FormData) {
  const accounts = values.has('accounts') ? listIn(values, 'accounts') : null
  const ends = textOf(values, 'expiresAt')
  const amount = textOf(values, 'spendLimit')
  const window: 'day' | 'month' = textOf(values, 'spendWindow') === 'month' ? 'month' : 'day'
  return {
    name: textOf(values, 'name'),
    allowlist: listIn(values, 'allowlist'),
    scopes: KEY_SCOPES.filter((scope) => values.getAll('scopes').includes(scope)),
    ...(accounts !== null && { accounts: accounts.length > 0 ? accounts : null }),
    expiresAt: ends === '' ? null : `${ends}T00:00:00.000Z`,
    spendLimit: amount === '' ? null : { amountCents: hundredthsOf(amount), window },
  }
}

const KeyFields = ({
  problems,
  value,
  isChild,
}: {
  readonly problems: Readonly<Record<string, string>>
  readonly value?: DashboardKey
  readonly isChild: boolean
}) => (
  <>
    <Field
      {...{ label: words.name, name: 'name', problem: problems.name }}
      defaultValue={value?.name}
      autoFocus
      required
    />
    <Field
      {...{ label: words.allowlist, name: 'allowlist', hint: words.allowlistHint }}
      title={words.allowlistForm}
      defaultValue={value?.allowlist.join(' ')}
      problem={problems.allowlist}
    />
    <ScopeFields value={value?.scopes ?? KEY_SCOPES} problem={problems.scopes} />
    {!isChild && <AccountsField value={value} problem={problems.accounts} />}
    <Field
      {...{ label: words.expiresAt, name: 'expiresAt', hint: words.expiresHint, type: 'date' }}
      defaultValue={value?.expiresAt?.slice(0, 10)}
      problem={problems.expiresAt}
    />
    <Field
      {...{ label: words.spendLimit, name: 'spendLimit', hint: words.spendHint, ...AMOUNT }}
      defaultValue={value?.spendLimit ? ofHundred(value.spendLimit.amountCents) : undefined}
      problem={problems.spendLimit}
    />
    <Select
      {...{ label: words.spendWindow, name: 'spendWindow' }}
      defaultValue={value?.spendLimit?.window ?? 'day'}
    >
      {(['day', 'month'] as const).map((window) => (
        <option key={window} value={window}>
          {words.windows[window]}
        </option>
      ))}
    </Select>
  </>
)

/** A partner’s key has no sub-users: only a merchant’s is asked for them. */
function AccountsField({
  value,
  problem,
}: {
  readonly value: DashboardKey | undefined
  readonly problem: string | undefined
}) {
  const { data: session } = useQuery(sessionQuery)
  if (session?.user.accountKind !== 'merchant') return null
  return (
    <Field
      {...{ label: words.accounts, name: 'accounts', hint: words.accountsHint, problem }}
      defaultValue={value?.accounts?.join(' ')}
    />
  )
}

const PRESETS: Readonly<Record<string, readonly KeyScope[]>> = {
  everything: KEY_SCOPES,
  ...SCOPE_PRESETS,
}

/** A preset ticks its scopes; each may be changed after. */
function ScopeFields({
  value,
  problem,
}: {
  readonly value: readonly KeyScope[]
  readonly problem: string | undefined
}) {
  const [chosen, setChosen] = useState<ReadonlySet<KeyScope>>(new Set(value))
  const isChosen = (scopes: readonly KeyScope[]): boolean =>
    scopes.length === chosen.size && scopes.every((scope) => chosen.has(scope))
  const preset = Object.keys(PRESETS).find((name) => isChosen(PRESETS[name] ?? [])) ?? 'own'
  const names: Readonly<Record<string, string>> = words.presetNames
  return (
    <fieldset aria-invalid={problem !== undefined}>
      <legend>{words.scopes}</legend>
      <label>
        {words.presets}{' '}
        <select
          value={preset}
          onChange={({ target }) => setChosen(new Set(PRESETS[target.value] ?? chosen))}
        >
          {[...Object.keys(PRESETS), 'own'].map((name) => (
            <option key={name} value={name}>
              {names[name]}
            </option>
          ))}
        </select>
      </label>
      {KEY_SCOPES.map((scope) => (
        <div key={scope}>
          <label>
            <input
              {...{ type: 'checkbox', name: 'scopes', value: scope }}
              checked={chosen.has(scope)}
              onChange={({ target }) => {
                const others = [...chosen].filter((one) => one !== scope)
                setChosen(new Set(target.checked ? [...others, scope] : others))
              }}
            />{' '}
            {words.scopeNames[scope]}
          </label>
        </div>
      ))}
      {problem && <p role="alert">{problem}</p>}
    </fieldset>
  )
}
