import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import type { PasskeyItem } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { makePasskey } from '../../../api/passkey.ts'
import { Button } from '../../../kit/button.tsx'
import { Confirm } from '../../../kit/confirm.tsx'
import { Dialog } from '../../../kit/dialog.tsx'
import { Field } from '../../../kit/field.tsx'
import { Form, textOf } from '../../../kit/form.tsx'
import { Failure } from '../../../kit/notice.tsx'
import { Section } from '../../../kit/page.tsx'
import { RowActs, Table } from '../../../kit/table.tsx'
import { Time } from '../../../kit/time.tsx'
import { passkeysQuery } from '../../../queries/account.ts'
import { sessionQuery } from '../../../queries/session.ts'
import { texts } from '../../../texts/texts.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

const { passkeys: words, actions } = texts

export function Passkeys() {
  const { data: passkeys, error } = useQuery(passkeysQuery)
  const { data: session } = useSuspenseQuery(sessionQuery)
  const hasFactor = session?.user.twoFactorMethod !== null || session.user.passkeys > 0
  const queries = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const [renamed, setRenamed] = useState<PasskeyItem | null>(null)
  const [removed, setRemoved] = useState<PasskeyItem | null>(null)
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null)
  const refresh = async (): Promise<void> => {
    await queries.invalidateQueries(passkeysQuery)
    await queries.invalidateQueries(sessionQuery)
  }
  return (
    <Section title={words.title}>
      <p>{words.text}</p>
      {error && <Failure error={error} />}
      {passkeys && (
        <Table
          caption={words.title}
          empty={words.empty}
          rows={passkeys}
          keyOf={({ id }) => id}
          columns={[
            { head: words.name, cell: ({ name }) => name },
            { head: words.kind, cell: ({ synced }) => (synced ? words.synced : words.device) },
            {
              head: words.lastUsed,
              cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : words.never),
            },
            {
              head: words.actions,
              cell: (passkey) => (
                <RowActs>
                  <Button look="quiet" onClick={() => setRenamed(passkey)}>
                    {words.rename}
                  </Button>
                  <Button look="quiet" onClick={() => setRemoved(passkey)}>
                    {words.remove}
                  </Button>
                </RowActs>
              ),
            },
          ]}
        />
      )}
      <div>
        <Button look="main" onClick={() => setAdding(true)}>
          {words.add}
        </Button>
      </div>
      {isAdding && (
        <NameDialog
          title={words.add}
          lead={hasFactor ? undefined : words.addText}
          onClose={() => setAdding(false)}
          onNamed={async (name) => {
            const added = await makePasskey(name)
            setRecoveryCodes(added.recoveryCodes)
            await refresh()
          }}
        />
      )}
      {renamed && (
        <NameDialog
          title={words.rename}
          name={renamed.name}
          onClose={() => setRenamed(null)}
          onNamed={async (name) => {
            await call('renamePasskey', { params: { id: renamed.id }, body: { name } })
            await refresh()
          }}
        />
      )}
      {removed && (
        <Confirm
          title={words.removeTitle(removed.name)}
          act={words.remove}
          look="danger"
          done={words.removed}
          onClose={() => setRemoved(null)}
          onConfirm={async () => {
            await call('removePasskey', { params: { id: removed.id } })
            await refresh()
          }}
        >
          <p>{words.removeText}</p>
        </Confirm>
      )}
      {recoveryCodes && (
        <RecoveryCodes codes={recoveryCodes} onClose={() => setRecoveryCodes(null)} />
      )}
    </Section>
  )
}

interface NameDialogProps {
  readonly title: string
  readonly lead?: string | undefined
  readonly name?: string
  readonly onNamed: (name: string) => Promise<void>
  readonly onClose: () => void
}

const NameDialog = ({ title, lead, name, onNamed, onClose }: NameDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    {lead && <p>{lead}</p>}
    <Form
      submit={name === undefined ? title : actions.save}
      done={name === undefined ? words.added : actions.saved}
      onCancel={onClose}
      onSubmit={async (values) => {
        await onNamed(textOf(values, 'name'))
        onClose()
      }}
    >
      {(problems) => (
        <Field
          {...{ label: words.name, name: 'name', hint: words.nameHint, maxLength: 64 }}
          defaultValue={name}
          problem={problems.name}
          autoFocus
          required
        />
      )}
    </Form>
  </Dialog>
)
