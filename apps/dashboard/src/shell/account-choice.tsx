import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { ownAccountsQuery } from '../queries/account.ts'
import { enterSession } from '../queries/session.ts'
import { texts } from '../texts/texts.ts'

/** Of a person with several accounts: which one the pages are about. */
export function AccountChoice() {
  const { data: accounts = [] } = useQuery(ownAccountsQuery)
  const queries = useQueryClient()
  const router = useRouter()
  if (accounts.length < 2) return null
  const choose = async (accountId: string): Promise<void> => {
    await call('switchAccount', { body: { accountId } })
    await enterSession(queries)
    await router.navigate({ to: '/' })
  }
  return (
    <label>
      {texts.accounts.label}{' '}
      <select
        value={accounts.find(({ current }) => current)?.accountId}
        onChange={({ target }) => void choose(target.value)}
      >
        {accounts.map(({ accountId, name, role }) => (
          <option key={accountId} value={accountId}>
            {texts.accounts.option(name ?? accountId, texts.team.roles[role])}
          </option>
        ))}
      </select>
    </label>
  )
}
