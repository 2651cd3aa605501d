import { locale, once } from '../texts/texts.ts'
import css from './money.module.css'

/** A two-decimal amount of the wire as a decimal text, exact: `12.3` is `12.30`. */
const decimalOf = (amount: number): `${number}` => `${Math.round(amount * 100)}e-2` as `${number}`

const made = new Map<string, Intl.NumberFormat>()

/** A formatter takes far longer to make than to use, and tables use it for each row. */
function formatterOf(currency: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = `${currency} ${JSON.stringify(options)}`
  const known =
    made.get(key) ?? new Intl.NumberFormat(locale, { style: 'currency', currency, ...options })
  made.set(key, known)
  return known
}

/** With the minus sign, U+2212, in the place of the hyphen: it is as wide as the plus. */
const written = (
  amount: number | `${number}`,
  currency: string,
  options?: Intl.NumberFormatOptions,
): string => formatterOf(currency, options).format(amount).replace('-', '\u2212')

/** An amount of the wire, exact to the cent, with its currency. */
export const formatMoney = (amount: number, currency: string): string =>
  written(decimalOf(amount), currency)

const TOKENS = { maximumFractionDigits: 20 } as const
const tokens = once(() => new Intl.NumberFormat(locale, TOKENS))

/** An amount of a token, a decimal text of the wire, with every digit that it has; empty while it is unknown. */
export const formatTokens = (amount: string | null): string =>
  amount === null
    ? ''
    : tokens()
        .format(amount as `${number}`)
        .replace('-', '\u2212')

const rates = once(() => new Intl.NumberFormat(locale, { maximumSignificantDigits: 6 }))

/** A price of one unit, to six digits. */
export const formatRate = (rate: number): string => rates().format(rate)

const shortTokens = once(
  () =>
    new Intl.NumberFormat(locale, {
      ...{ maximumFractionDigits: 6, maximumSignificantDigits: 4 },
      roundingPriority: 'morePrecision',
    }),
)

/** An amount of a token to six decimals, a small one to four digits, for a table; every digit is in its title. */
export const Tokens = ({ amount }: { readonly amount: string | null }) =>
  amount !== null && (
    <span className={css.money} title={formatTokens(amount)}>
      {shortTokens()
        .format(amount as `${number}`)
        .replace('-', '\u2212')}
    </span>
  )

const SHORT = { notation: 'compact', maximumFractionDigits: 1 } as const

/** For the marks of a chart up to `most`: `$1.2K`; all of them to the cent where cents are seen. */
export const formatShortMoney = (amount: number, currency: string, most: number): string =>
  most < 100 ? formatMoney(amount, currency) : written(amount, currency, SHORT)

const SIGNED = { signDisplay: 'exceptZero' } as const

interface MoneyProps {
  readonly amount: number
  readonly currency: string
  /** Shows a plus before what comes in. */
  readonly signed?: boolean
}

/** In figures of equal width, so that columns of amounts are read at a glance. */
export const Money = ({ amount, currency, signed = false }: MoneyProps) => (
  <span className={css.money} data-sign={signed && amount > 0 ? 'in' : undefined}>
    {written(decimalOf(amount), currency, signed ? SIGNED : undefined)}
  </span>
)
