// The texts of a trade's page, in the reader's language.
import { trade as english } from './en/trade.ts'
import { areaOf } from './texts.ts'

export const trade = areaOf('trade', english)
