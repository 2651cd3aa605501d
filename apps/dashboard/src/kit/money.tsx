import css from './money.module.css'

/** A two-decimal amount of the wire as a decimal text, exact: `12.3` is `12.30`. */
const decimalOf = (amount: number): `${number}` => `${Math.round(amount * 100)}e-2` as `${number}`

/** An amount of the wire, exact to the cent, with its currency. */
export const formatMoney = (amount: number, currency: string): string =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(decimalOf(amount))

interface MoneyProps {
  readonly amount: number
  readonly currency: string
  /** Shows a plus before what comes in. */
  readonly signed?: boolean
}

/** In figures of equal width, so that columns of amounts are read at a glance. */
export const Money = ({ amount, currency, signed = false }: MoneyProps) => (
  <span className={css.money} data-sign={signed && amount > 0 ? 'in' : undefined}>
    {new Intl.NumberFormat(undefined, {
      ...{ style: 'currency', currency },
      signDisplay: signed ? 'exceptZero' : 'auto',
    }).format(decimalOf(amount))}
  </span>
)
