// The statement of a month: of the account, or of one of its sub-users or children.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Statement } from '@tradepost/contract'
import { ROUTES } from '../../api/routes.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import { formatMoney, Money } from '../../kit/money.tsx'
import { Failure } from '../../kit/notice.tsx'
import { Acts, Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { sessionQuery } from '../../queries/session.ts'
import { monthOf, statementQuery } from '../../queries/statements.ts'
import { money } from '../../texts/money.ts'
import { readable } from '../../texts/readable.ts'
import { formatCount } from '../../texts/texts.ts'

const words = money.statements

export const StatementsPage = () => (
  <Page title={words.title} act={<SaveStatement />}>
    <StatementOfMonth />
  </Page>
)

/** On the page of a sub-user or a child. */
export const StatementsOf = ({ id }: { readonly id: string }) => (
  <>
    <StatementOfMonth subUserId={id} />
    {/* Below, where it moves nothing when the statement arrives. */}
    <SaveStatement subUserId={id} />
  </>
)

interface OfAccount {
  /** Left out: the account itself. */
  readonly subUserId?: string
}

/** The month is in the address. */
const useMonth = () => useSearch({ strict: false }) as { readonly month?: string }

function SaveStatement({ subUserId }: OfAccount) {
  const { data: statement } = useQuery(statementQuery(useMonth(), subUserId))
  if (statement === undefined) return null
  const save = (format: 'pdf' | 'csv'): void => {
    const link = document.createElement('a')
    const query = new URLSearchParams({ month: statement.month, format })
    if (subUserId !== undefined) query.set('subUserId', subUserId)
    link.href = `${ROUTES.readStatement[1]}?${query}`
    link.download = ''
    link.click()
  }
  return (
    <Acts>
      <Button onClick={() => save('pdf')}>{words.pdf}</Button>
      <Button onClick={() => save('csv')}>{words.csv}</Button>
    </Acts>
  )
}

function StatementOfMonth({ subUserId }: OfAccount) {
  const asked = useMonth()
  const navigate = useNavigate()
  const { data: statement, error } = useQuery(statementQuery(asked, subUserId))
  return (
    <>
      <Field
        label={words.month}
        hint={words.monthHint}
        type="month"
        pattern="[1-9][0-9]{3}-(0[1-9]|1[0-2])"
        key={monthOf(asked)}
        defaultValue={monthOf(asked)}
        max={monthOf({})}
        onChange={({ target }) => {
          if (target.value === '' || !target.validity.valid) return
          void navigate({ to: '.', search: { month: target.value } as never })
        }}
      />
      {error && <Failure error={error} />}
      {statement === undefined && !error && <Waiting />}
      {statement && (
        <>
          <p>{statement.number === null ? words.open : words.closed(statement.number)}</p>
          {statement.wallets.map((wallet) => (
            <WalletOfMonth key={wallet.wallet} wallet={wallet} />
          ))}
        </>
      )}
    </>
  )
}

type WalletStatement = Statement['wallets'][number]

interface Line {
  readonly name: string
  readonly count?: number
  readonly credit?: number
  readonly debit?: number
  readonly balance?: number
}

/** `trade_payment` as `Trade payment`: as the PDF and the CSV file call it, so that the three can be compared. */
const nameOf = (type: string): string => {
  const name = readable(type)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const sumOf = (rows: WalletStatement['rows'], side: 'credit' | 'debit'): number =>
  rows.reduce((total, row) => total + Math.round(row[side] * 100), 0) / 100

function WalletOfMonth({ wallet }: { readonly wallet: WalletStatement }) {
  const { currency, opening, closing, rows, fees } = wallet
  const { data: session } = useQuery(sessionQuery)
  const earner = session?.user.accountKind === 'partner' ? 'partner' : 'merchant'
  const lines: readonly Line[] = [
    { name: words.opening, balance: opening },
    ...rows.map(({ type, ...sums }) => ({ name: nameOf(type), ...sums })),
    { name: words.total, credit: sumOf(rows, 'credit'), debit: sumOf(rows, 'debit') },
    { name: words.closing, balance: closing },
  ]
  const amount = (value: number | undefined) =>
    value !== undefined && <Money amount={value} currency={currency} />
  const title = `${words.wallets[wallet.wallet]}, ${currency}`
  return (
    <Section title={title}>
      <Table
        caption={title}
        empty=""
        isEven
        rows={lines}
        keyOf={({ name }) => name}
        columns={[
          { head: words.line, cell: ({ name }) => name },
          {
            head: words.count,
            align: 'end',
            cell: ({ count }) => count !== undefined && formatCount(count),
          },
          { head: words.credit, align: 'end', cell: ({ credit }) => amount(credit) },
          { head: words.debit, align: 'end', cell: ({ debit }) => amount(debit) },
          { head: words.balance, align: 'end', cell: ({ balance }) => amount(balance) },
        ]}
      />
      {wallet.wallet === 'spot' && (
        <p>
          {words.fees(
            formatMoney(fees.house, currency),
            earner,
            formatMoney(fees.merchant, currency),
          )}
        </p>
      )}
    </Section>
  )
}
