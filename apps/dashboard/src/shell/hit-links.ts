// Where what a search has found leads to, for each kind of account.
import type { LinkProps } from '@tanstack/react-router'
import type { FoundHit } from '@tradepost/contract'
import type { AccountKind } from './navigation.ts'

export type HitLink = Pick<LinkProps, 'to' | 'params'>
type Links = Readonly<Record<FoundHit['kind'], (hit: FoundHit) => HitLink | null>>

const nowhere = (): null => null

const OF_MERCHANT: Links = {
  trade: ({ id }) => ({ to: '/trades/$id/{-$tab}', params: { id, tab: undefined } }),
  account: ({ id, accountId }) =>
    id === accountId
      ? { to: '/wallets/{-$tab}', params: { tab: undefined } }
      : { to: '/users/$id/{-$tab}', params: { id, tab: undefined } },
  event: ({ id }) => ({ to: '/events/$id', params: { id } }),
  deposit: ({ id }) => ({ to: '/deposits/$id', params: { id } }),
  custody_deposit: ({ id }) => ({ to: '/deposits/$id', params: { id } }),
  withdrawal: ({ id }) => ({ to: '/payouts/withdrawals/$id', params: { id } }),
  delivery: ({ id }) => ({ to: '/webhook/deliveries/$id', params: { id } }),
  key: ({ id }) => ({ to: '/keys/$id', params: { id } }),
  case: nowhere,
}

const OF_PARTNER: Links = {
  ...OF_MERCHANT,
  trade: ({ id }) => ({ to: '/orders/$id/{-$tab}', params: { id, tab: undefined } }),
  account: ({ id, accountId }) =>
    id === accountId
      ? { to: '/partner' }
      : { to: '/children/$id/{-$tab}', params: { id, tab: undefined } },
  // Partners have no page of events: an event leads to what it is about.
  event: (hit) => linkOfSubject(hit),
}

function linkOfSubject(hit: FoundHit): HitLink | null {
  const { subjectId, title } = hit
  if (subjectId === null) return null
  const [family] = title.split('.')
  const kind = family === 'payout' ? 'withdrawal' : family === 'deposit' ? 'deposit' : 'trade'
  return OF_PARTNER[kind]({ ...hit, id: subjectId })
}

const OF_ADMINISTRATOR: Links = {
  trade: ({ id }) => ({ to: '/admin/trades/$id', params: { id } }),
  account: ({ id }) => ({ to: '/admin/accounts/$id/{-$tab}', params: { id, tab: undefined } }),
  event: ({ id }) => ({ to: '/admin/events/$id', params: { id } }),
  deposit: ({ id }) => ({ to: '/admin/deposits/$id', params: { id } }),
  custody_deposit: ({ id }) => ({ to: '/admin/deposits/$id', params: { id } }),
  withdrawal: ({ id }) => ({ to: '/admin/withdrawals/$id', params: { id } }),
  delivery: ({ id }) => ({ to: '/admin/deliveries/$id', params: { id } }),
  key: ({ id, accountId }) =>
    accountId === null
      ? null
      : { to: '/admin/accounts/$id/keys/$key', params: { id: accountId, key: id } },
  case: ({ id }) => ({ to: '/admin/cases/$id', params: { id } }),
}

const LINKS: Readonly<Record<AccountKind, Links>> = {
  merchant: OF_MERCHANT,
  partner: OF_PARTNER,
  admin: OF_ADMINISTRATOR,
}

/** Of what an event is about: a `trade`, a `deposit`, a `custody_deposit` or a `withdrawal`. */
export function linkOfSubjectId(
  account: AccountKind,
  { type, id }: { readonly type: string; readonly id: string },
): HitLink | null {
  const kind = SUBJECTS.find((each) => each === type)
  if (kind === undefined) return null
  const unknown = { accountId: null, subjectId: null, title: '', status: null }
  return LINKS[account][kind]({ ...unknown, kind, id })
}

const SUBJECTS = ['trade', 'deposit', 'custody_deposit', 'withdrawal'] as const

/** Null for what this kind of account has no page of. */
export const linkOfHit = (account: AccountKind, hit: FoundHit): HitLink | null =>
  LINKS[account][hit.kind](hit)
