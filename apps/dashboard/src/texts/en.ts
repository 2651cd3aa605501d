// Every text of the dashboard, in English, a file an area. Another language is a file of the same shape in
// languages/ (see texts.ts).
import { account } from './en/account.ts'
import { admin } from './en/admin.ts'
import { everywhere } from './en/everywhere.ts'
import { kit } from './en/kit.ts'
import { merchant } from './en/merchant.ts'
import { money } from './en/money.ts'
import { nav } from './en/nav.ts'
import { overview } from './en/overview.ts'
import { partner } from './en/partner.ts'
import { people } from './en/people.ts'
import { visitor } from './en/visitor.ts'

export const en = {
  ...everywhere,
  ...nav,
  ...visitor,
  ...account,
  ...admin,
  ...people,
  ...overview,
  kit,
  merchant,
  money,
  partner,
}
