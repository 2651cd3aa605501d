// Amounts are numbers in answers and decimal strings in requests.

const LARGEST = 999_999_999.99

/** An amount as a request carries it. A string passes unchanged: the service validates its form. */
export function amountText(name: string, amount: number | string): string {
  if (typeof amount === 'string') return amount
  const text = amount.toFixed(2)
  if (!(amount > 0 && amount <= LARGEST) || Number(text) !== amount) {
    throw new TypeError(`${name} must be a positive amount with at most two decimals`)
  }
  return text
}
