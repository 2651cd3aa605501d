// The texts of the pages of administrators, in the reader's language.
import { admin as english } from './en/admin.ts'
import { areaOf } from './texts.ts'

export const admin = areaOf('admin', english)
