// The English texts that come with the first page.
import { account } from './account.ts'
import { anonymous } from './anonymous.ts'
import { everywhere } from './everywhere.ts'
import { kit } from './kit.ts'
import { merchant } from './merchant.ts'
import { nav } from './nav.ts'
import { overview } from './overview.ts'
import { partner } from './partner.ts'
import { people } from './people.ts'

export const shared = {
  ...everywhere,
  ...nav,
  ...anonymous,
  ...account,
  ...people,
  ...overview,
  kit,
  merchant,
  partner,
}
