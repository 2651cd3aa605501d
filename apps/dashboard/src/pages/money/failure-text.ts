import { money } from '../../texts/money.ts'

/** Why a withdrawal was refunded. `not_payable` has what the chain said behind it. */
export function failureText(reason: string | null): string | null {
  const [code = '', said] = reason?.split(': ') ?? []
  const text = money.withdrawal.failures[code] ?? reason
  return said === undefined ? text : `${text} (${said})`
}
