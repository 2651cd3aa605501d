import { type Cents, cents } from '#kernel/money'
import { refuseField } from '../shared/failure.ts'

/**
 * A JSON number of dollars as cents. The nearest number to an amount of cents prints as that amount: any
 * other has more than two decimals, and is VALIDATION_FAILED.
 */
export function centsOf(amount: number, pointer: string): Cents {
  const whole = Math.round(amount * 100)
  if (whole / 100 === amount) return cents(BigInt(whole))
  return refuseField({
    in: 'body',
    pointer,
    rule: 'decimals',
    message: 'must have at most two decimals',
  })
}
