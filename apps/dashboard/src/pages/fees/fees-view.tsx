// What an account pays and takes, with an example, and the dialog that changes its own fees: the same for a
// merchant and a partner, each from its own source.
import { useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { DetailList, type DetailListProps } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field, PERCENT } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { hundredthsOf, ofHundred } from '../../kit/hundredths.ts'
import { Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { WaitingDetails } from '../../kit/waiting.tsx'
import { useCapability } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'

type Shown = DetailListProps['details']

/** A fee that the account sets itself, in basis points, under the name that the service gives its field. */
interface OwnFee<Name extends string> {
  readonly name: Name
  readonly label: string
  readonly bps: number
}

interface FeesViewProps<Fees, Name extends string> {
  readonly words: {
    readonly title: string
    readonly text: string
    readonly exampleTitle: string
    readonly change: string
    readonly changeText: string
  }
  readonly read: { readonly data: Fees | undefined; readonly error: Error | null }
  readonly detailsOf: (fees: Fees) => Shown
  /** How many details are likely to come: so high is the page until then. */
  readonly expected: number
  /** What a buy of 100.00 costs, line by line. */
  readonly exampleOf: (fees: Fees) => Shown
  readonly ownOf: (fees: Fees) => readonly OwnFee<Name>[]
  readonly onChange: (bps: Readonly<Record<Name, number>>) => Promise<void>
}

export function FeesView<Fees, Name extends string>({
  words,
  read: { data: fees, error },
  detailsOf,
  expected,
  exampleOf,
  ownOf,
  onChange,
}: FeesViewProps<Fees, Name>) {
  const [isOpen, setOpen] = useState(false)
  const maySet = useCapability('money.write')
  return (
    <Page
      title={words.title}
      act={
        maySet && (
          <Button look="main" busy={fees === undefined} onClick={() => setOpen(true)}>
            {words.change}
          </Button>
        )
      }
    >
      {error && <Failure error={error} />}
      {(fees || !error) && <p>{words.text}</p>}
      {fees === undefined && !error && <WaitingDetails count={expected} />}
      {fees && (
        <>
          <DetailList details={detailsOf(fees)} />
          <Section title={words.exampleTitle}>
            <DetailList details={exampleOf(fees)} />
          </Section>
        </>
      )}
      {isOpen && fees && (
        <FeesDialog {...{ words, onChange, own: ownOf(fees) }} onClose={() => setOpen(false)} />
      )}
    </Page>
  )
}

interface FeesDialogProps<Name extends string>
  extends Pick<FeesViewProps<unknown, Name>, 'words' | 'onChange'> {
  readonly own: readonly OwnFee<Name>[]
  readonly onClose: () => void
}

function FeesDialog<Name extends string>({ words, own, onChange, onClose }: FeesDialogProps<Name>) {
  const change = async (values: FormData): Promise<void> => {
    const bps = own.map(({ name }) => [name, hundredthsOf(textOf(values, name))])
    await onChange(Object.fromEntries(bps))
    onClose()
  }
  return (
    <Dialog title={words.change} onClose={onClose}>
      <p>{words.changeText}</p>
      <Form submit={words.change} done={texts.actions.saved} onCancel={onClose} onSubmit={change}>
        {(problems) =>
          own.map(({ name, label, bps }, i) => (
            <Field
              key={name}
              {...{ label, name, problem: problems[name], ...PERCENT }}
              {...{ defaultValue: ofHundred(bps), autoFocus: i === 0 }}
              required
            />
          ))
        }
      </Form>
    </Dialog>
  )
}
