// A batch of withdrawals from a CSV: read here, judged by the service line by line, and then the act itself.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { BatchPreview } from '@tradepost/contract'
import { useState } from 'react'
import { ApiError, call } from '../../api/call.ts'
import { DetailList } from '../../kit/detail.tsx'
import { Field, LongField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { messageOf, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { useApprovalEndpoint } from '../../queries/approval-endpoint.ts'
import { custodyQuery } from '../../queries/money.ts'
import { useCapability } from '../../queries/session.ts'
import { money } from '../../texts/money.ts'
import { formatCount, texts } from '../../texts/texts.ts'
import { chainName } from '../chain-name.ts'
import { type BatchLine, readBatch } from './batch-file.ts'
import { dollars } from './payouts.tsx'

const { batch: words, payouts } = money

const EXAMPLE = `externalId,chain,token,destination,amount
pay-1,base,USDC,0x…,25.00`

interface Checked {
  readonly externalId: string
  readonly lines: readonly BatchLine[]
  /** Of the lines that can be read, in their order; null where none can: the service was not asked. */
  readonly preview: BatchPreview | null
}

export function NewBatchPage() {
  const mayWithdraw = useCapability('money.write')
  const [text, setText] = useState('')
  // Made once, and kept with what was typed over it: what is sent twice is one batch.
  const [reference, setReference] = useState(() => `dashboard-${crypto.randomUUID()}`)
  const [checked, setChecked] = useState<Checked | null>(null)
  return (
    <Page title={words.title} parent={[payouts.batches, { to: '/payouts/batches' }]}>
      {!mayWithdraw && <p>{texts.readOnly}</p>}
      {mayWithdraw && checked === null && (
        <BatchForm {...{ text, setText, reference, setReference }} onChecked={setChecked} />
      )}
      {checked !== null && <Review {...checked} onBack={() => setChecked(null)} />}
    </Page>
  )
}

interface BatchFormProps {
  readonly text: string
  readonly setText: (text: string) => void
  readonly reference: string
  readonly setReference: (reference: string) => void
  readonly onChecked: (checked: Checked) => void
}

function BatchForm({ text, setText, reference, setReference, onChecked }: BatchFormProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const check = async (): Promise<void> => {
    const lines = readBatch(text, words.problems, money.deposits.chains)
    if (typeof lines === 'string') return setProblem(lines)
    setProblem(null)
    const withdrawals = lines
      .filter(({ problem }) => problem === null)
      .map(({ withdrawal }) => withdrawal)
    const preview =
      withdrawals.length > 0 ? await call('previewOwnBatch', { body: { withdrawals } }) : null
    onChecked({ externalId: reference.trim(), lines, preview })
  }
  return (
    <Form submit={words.next} onSubmit={check}>
      {(problems) => (
        <>
          {problem !== null && <Notice tone="bad">{problem}</Notice>}
          <Field
            {...{ label: words.file, type: 'file', accept: '.csv,text/csv' }}
            hint={words.fileHint}
            onChange={({ target }) => {
              const [file] = target.files ?? []
              void file?.text().then(setText)
            }}
          />
          <LongField
            {...{ label: words.text, name: 'csv', hint: words.textHint }}
            {...{ value: text, placeholder: EXAMPLE, spellCheck: false }}
            onChange={({ target }) => setText(target.value)}
          />
          <Field
            {...{ label: words.reference, name: 'externalId', value: reference }}
            onChange={({ target }) => setReference(target.value)}
            {...{ hint: words.referenceHint, problem: problems.externalId, maxLength: 128 }}
            required
          />
        </>
      )}
    </Form>
  )
}

interface Shown extends BatchLine {
  readonly feeCents: number | null
}

function shownOf({ lines, preview }: Checked): readonly Shown[] {
  const judged = (preview?.lines ?? []).values()
  return lines.map((line) => {
    if (line.problem !== null) return { ...line, feeCents: null }
    const { refusal = null, feeCents = null } = judged.next().value ?? {}
    return { ...line, feeCents, problem: refusal && sayOf(refusal, line) }
  })
}

function sayOf(
  { key, reason }: NonNullable<BatchPreview['lines'][number]['refusal']>,
  { withdrawal }: BatchLine,
): string {
  // Its message elsewhere is about a form that was sent twice.
  if (key === 'IDEMPOTENCY_CONFLICT') return words.problems.used(withdrawal.externalId)
  return messageOf(new ApiError(key, { reason })) ?? key
}

const COLUMNS: readonly Column<Shown>[] = [
  { head: words.line, align: 'end', cell: ({ line }) => line },
  { head: payouts.externalId, cell: ({ withdrawal }) => withdrawal.externalId },
  { head: payouts.destination, cell: ({ withdrawal }) => withdrawal.destination },
  {
    head: payouts.token,
    cell: ({ withdrawal: { token, chain } }) => money.deposits.on(token, chainName(chain)),
  },
  {
    head: payouts.value,
    align: 'end',
    cell: ({ withdrawal: { amountCents } }) =>
      Number.isNaN(amountCents) ? '' : dollars(amountCents),
  },
  {
    head: money.withdraw.fee,
    align: 'end',
    cell: ({ feeCents }) => (feeCents === null ? '' : dollars(feeCents)),
  },
  { head: words.problem, cell: ({ problem }) => problem ?? '' },
]

function Review({ onBack, ...checked }: Checked & { readonly onBack: () => void }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const endpoint = useApprovalEndpoint()
  const { externalId, preview } = checked
  const shown = shownOf(checked)
  const refused = shown.filter(({ problem }) => problem !== null)
  const table = (
    <Table
      {...{ caption: words.review, empty: '', columns: COLUMNS }}
      // What is wrong comes first.
      rows={[...refused, ...shown.filter(({ problem }) => problem === null)]}
      keyOf={({ line }) => String(line)}
    />
  )
  if (refused.length > 0 || preview === null) {
    return (
      <Section title={words.review}>
        <Form submit={words.back} look="plain" onSubmit={async () => onBack()}>
          {() => (
            <>
              <DetailList details={[[words.reference, externalId]]} />
              <Notice tone="bad">{words.refused(formatCount(refused.length))}</Notice>
            </>
          )}
        </Form>
        {table}
      </Section>
    )
  }
  const send = async (): Promise<void> => {
    const withdrawals = shown.map(({ withdrawal }) => withdrawal)
    const { id } = await call('createOwnBatch', { body: { externalId, withdrawals } })
    await Promise.all([
      queries.invalidateQueries(custodyQuery),
      queries.invalidateQueries({ queryKey: ['listOwnBatches'] }),
    ])
    await navigate({ to: '/payouts/batches/$id', params: { id } })
  }
  return (
    <Section title={words.review}>
      <Form
        submit={words.confirm(formatCount(shown.length), dollars(preview.amountCents))}
        onCancel={onBack}
        onSubmit={send}
      >
        {() => (
          <>
            <DetailList
              details={[
                [words.count, formatCount(shown.length)],
                [words.sum, dollars(preview.amountCents)],
                [words.fees, dollars(preview.feeCents)],
                [words.reference, externalId],
                [money.withdraw.asked, endpoint && <code key="asked">{endpoint}</code>],
              ]}
            />
            {preview.aboveLimit > 0 && (
              <Notice tone="warn">{words.aboveLimit(formatCount(preview.aboveLimit))}</Notice>
            )}
            <p>{words.approval}</p>
          </>
        )}
      </Form>
      {table}
    </Section>
  )
}
