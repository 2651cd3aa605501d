// The texts of records, in the reader's language.
import { records as english } from './en/records.ts'
import { areaOf } from './texts.ts'

export const records = areaOf('records', english)
