// The texts of deposits, payouts and custody, in the reader's language.
import { money as english } from './en/money.ts'
import { areaOf } from './texts.ts'

export const money = areaOf('money', english)
