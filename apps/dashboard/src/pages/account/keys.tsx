import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreatedKey, DashboardKey } from '@tradepost/contract'
import { type ReactNode, useState } from 'react'
import { callFor } from '../../api/for-child.ts'
import { Button } from '../../kit/button.tsx'
import { Facts } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field, Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { SecretDialog } from '../../kit/secret.tsx'
import { Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { keysQuery } from '../../queries/account.ts'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
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
            { head: words.name, cell: ({ name }) => name },
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
              head: words.lastUsed,
              cell: lastUseOf,
            },
            {
              head: words.actions,
              cell: (key) =>
                mayWrite &&
                key.status !== 'revoked' && (
                  <>
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
                  </>
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
            onCancel={close}
            onSubmit={async (values) => {
              await show(await callFor(childId, 'createKey', { body: namedIn(values) }))
            }}
          >
            {(problems) => <KeyFields problems={problems} />}
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
              await callFor(childId, 'updateKey', { params, body: namedIn(values) })
              await refresh()
              close()
            }}
          >
            {(problems) => <KeyFields problems={problems} value={open.key} />}
          </Form>
        </Dialog>
      )
    case 'created':
      return (
        <SecretDialog
          {...{ title: words.createdTitle, value: open.key.apiKey, label: words.key }}
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
                <Facts
                  facts={[
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

const masked = ({ prefix, last4 }: DashboardKey): string => `${prefix}…${last4}`

const lastUseOf = ({ lastUsedAt }: DashboardKey): ReactNode =>
  lastUsedAt ? <Time at={lastUsedAt} /> : words.never

const namedIn = (values: FormData) => ({
  name: textOf(values, 'name'),
  allowlist: textOf(values, 'allowlist')
    .split(/[\s,]+/)
    .filter(Boolean),
})

const KeyFields = ({
  problems,
  value,
}: {
  readonly problems: Readonly<Record<string, string>>
  readonly value?: DashboardKey
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
  </>
)
