// The texts of records, in the reader's language.
import type { Texts } from './catalogue.ts'
import { records as english } from './en/records.ts'
import { areaOf } from './texts.ts'

/** A log also keeps acts of earlier releases, which may have no text. */
export const records: Texts['records'] & { readonly acts: Readonly<Record<string, string>> } =
  areaOf('records', english)
