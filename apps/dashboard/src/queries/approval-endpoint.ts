import { useQuery } from '@tanstack/react-query'
import { webhookQuery } from './account.ts'
import { payoutCallbackQuery } from './money.ts'

/**
 * The URL that is asked to approve withdrawals: one of its own, else that of the oldest webhook endpoint.
 * Null while it is not known, or where there is none.
 */
export function useApprovalEndpoint(): string | null {
  const { data: callback } = useQuery(payoutCallbackQuery)
  const { data: endpoint } = useQuery(webhookQuery())
  return callback === undefined ? null : (callback.url ?? endpoint?.url ?? null)
}
