// Every text of the dashboard, in English, a file an area. Another language is a file of the same shape in
// languages/ (see texts.ts).
import { admin } from './en/admin.ts'
import { figures } from './en/figures.ts'
import { money } from './en/money.ts'
import { records } from './en/records.ts'
import { shared } from './en/shared.ts'
import { trade } from './en/trade.ts'

export const en = { ...shared, admin, figures, money, records, trade }
