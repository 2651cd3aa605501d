// The test of an endpoint: it is about the account that asked for it, and says nothing else.
import { type TObject, Type } from 'typebox'
import { TEST_EVENT } from '#webhooks'
import { entriesAbout } from './entry.ts'

export const testEventEntries = {
  [TEST_EVENT]: entriesAbout<{ readonly id: string }>()('account')(Type.Object({}) as TObject, {
    render: () => ({}),
  }),
}
