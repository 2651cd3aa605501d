// A key's view of itself, and of what bounds it.
import { KEY_SCOPES, type MerchantKey } from '@tradepost/contract'
import type { KeySummary } from '#identity'
import type { Cents } from '#kernel/money'

export const merchantKeyView = (key: KeySummary, spent: Cents): MerchantKey => ({
  id: key.id,
  name: key.name,
  ...keyBoundsView(key, spent),
  allowlist: [...key.allowlist],
})

/** A key without a list of scopes has all of them. `spent` under its limit in the window of now. */
export const keyBoundsView = (
  { scopes, accounts, endsAt, spendLimit }: KeySummary,
  spent: Cents,
) => ({
  scopes: [...(scopes ?? KEY_SCOPES)],
  accounts: accounts && [...accounts],
  expiresAt: endsAt?.toISOString() ?? null,
  spendLimit: spendLimit && { ...spendLimit, amountCents: Number(spendLimit.amountCents) },
  spentCents: Number(spent),
})
