/** An amount of the wire, exact to the cent, with its currency. */
export const formatMoney = (amount: number, currency: string): string =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(
    // Cents first: the shortest text of a two-decimal number is exact.
    `${Math.round(amount * 100)}e-2` as `${number}`,
  )
