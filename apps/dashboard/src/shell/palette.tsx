// One box for everything: pages by name, and whatever an id belongs to.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FoundHit } from '@tradepost/contract'
import { useEffect, useState } from 'react'
import { call } from '../api/call.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Text } from '../kit/text.tsx'
import { texts } from '../texts/texts.ts'
import { type HitLink, linkOfHit } from './hit-links.ts'
import { type AccountKind, linkOfItem, navigationOf, pagesBehindTabs } from './navigation.ts'
import css from './palette.module.css'

const words = texts.kit.palette

interface Choice {
  readonly key: string
  readonly label: string
  readonly note: string
  readonly link: HitLink
}

/** Shorter texts belong to no id. */
const LEAST_ID = 3

export function Palette({
  kind,
  onClose,
}: {
  readonly kind: AccountKind
  readonly onClose: () => void
}) {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [isSubmitted, setSubmitted] = useState(false)
  const q = text.trim()
  const search = useQuery({
    queryKey: ['searchIds', kind, q],
    queryFn: () => call(kind === 'admin' ? 'searchEverywhere' : 'searchIds', { query: { q } }),
    enabled: q.length >= LEAST_ID,
    staleTime: 5_000,
  })
  const named = [...pagesOf(kind, q), ...actsOf(kind, q)]
  const found = [...(search.data?.hits ?? []).flatMap((hit) => choicesOf(kind, hit)), ...named]
  const choices = [...found, ...listsOf(kind, q)]
  const current = Math.min(at, choices.length - 1)
  // Only lists are left to choose from: what is looked up may be an id, whose page goes before them.
  const isLookedUp = search.isFetching && named.length === 0 && at === 0
  const go = (choice: Choice | undefined): void => {
    if (choice === undefined) return
    onClose()
    void navigate(choice.link as never)
  }
  useEffect(() => {
    if (!isSubmitted || isLookedUp) return
    setSubmitted(false)
    go(choices[current])
  })
  return (
    <Dialog title={words.title} onClose={onClose}>
      <form
        className={css.palette}
        onSubmit={(event) => {
          event.preventDefault()
          if (isLookedUp) setSubmitted(true)
          else go(choices[current])
        }}
      >
        <input
          type="search"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-choices"
          aria-activedescendant={current >= 0 ? `palette-${current}` : undefined}
          aria-label={words.title}
          placeholder={words.placeholder}
          value={text}
          maxLength={128}
          autoFocus
          onChange={({ target }) => {
            setText(target.value)
            setAt(0)
            setSubmitted(false)
          }}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
            if (step === 0) return
            event.preventDefault()
            setAt(Math.max(0, Math.min(choices.length - 1, current + step)))
          }}
        />
        <div id="palette-choices" role="listbox" aria-label={words.title} className={css.choices}>
          {choices.map((choice, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input moves between choices by arrows
            // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the input
            <div
              key={choice.key}
              id={`palette-${i}`}
              role="option"
              aria-selected={i === current}
              className={css.choice}
              onClick={() => go(choice)}
            >
              <span>
                <Text>{choice.label}</Text>
              </span>
              <small>
                <Text>{choice.note}</Text>
              </small>
            </div>
          ))}
        </div>
        <p role="status" className={css.count}>
          {search.isFetching
            ? words.searching
            : found.length > 0
              ? words.count(choices.length)
              : choices.length > 0
                ? words.onlyLists
                : words.none}
        </p>
      </form>
    </Dialog>
  )
}

const pagesOf = (kind: AccountKind, q: string): Choice[] =>
  [...navigationOf(kind).flatMap(({ items }) => items), ...pagesBehindTabs(kind)]
    .filter(({ label }) => label.toLowerCase().includes(q.toLowerCase()))
    .map((item) => ({
      ...{ key: item.to, label: item.label, note: words.pages },
      link: linkOfItem(item),
    }))

const DEPOSIT = {
  label: words.newDeposit,
  link: { to: '/deposits/new/{-$way}', params: { way: undefined } } satisfies HitLink,
}
const WITHDRAWAL = {
  label: words.newWithdrawal,
  link: { to: '/payouts/withdraw' } satisfies HitLink,
}
const BATCH = {
  label: words.newBatch,
  link: { to: '/payouts/batch' } satisfies HitLink,
}
/** Pages that no navigation shows, and that are looked for. */
const ACTS = { merchant: [DEPOSIT, WITHDRAWAL, BATCH], partner: [DEPOSIT], admin: [] } as const

const actsOf = (kind: AccountKind, q: string): Choice[] =>
  ACTS[kind]
    .filter(({ label }) => label.toLowerCase().includes(q.toLowerCase()))
    .map((act) => ({ ...act, key: act.label, note: words.acts }))

/** Lists that know names: what is typed need not be a whole id. */
const listsOf = (kind: AccountKind, q: string): readonly Choice[] =>
  q.length < LEAST_ID
    ? []
    : LISTS[kind].map(({ label, link }) => ({
        ...{ key: `list ${link(q).to}`, label: label(q), note: words.lists },
        link: link(q) as HitLink,
      }))

const LISTS = {
  merchant: [
    { label: words.tradesNamed, link: (q: string) => ({ to: '/trades', search: { itemName: q } }) },
    { label: words.usersNamed, link: (q: string) => ({ to: '/users', search: { q } }) },
    { label: words.marketNamed, link: (q: string) => ({ to: '/market', search: { q } }) },
  ],
  partner: [
    { label: words.ordersNamed, link: (q: string) => ({ to: '/orders', search: { itemName: q } }) },
    { label: words.childrenNamed, link: (q: string) => ({ to: '/children', search: { q } }) },
  ],
  admin: [
    { label: words.accountsNamed, link: (q: string) => ({ to: '/admin/accounts', search: { q } }) },
  ],
} as const

/** Accounts other than the reader’s own are its sub-users or children. */
const nameOf = (account: AccountKind, { kind, id, accountId }: FoundHit): string =>
  kind === 'account' && id !== accountId && account !== 'admin'
    ? words.ownUsers[account]
    : words.kinds[kind]

/** None for what this kind of account has no page of. */
function choicesOf(account: AccountKind, hit: FoundHit): readonly Choice[] {
  const { kind, id, title, status } = hit
  const link = linkOfHit(account, hit)
  const label = words.hit(nameOf(account, hit), title, status)
  return link === null ? [] : [{ key: `${kind} ${id}`, label, note: id, link }]
}
