// One box for everything: pages by name, and whatever an id belongs to.
import { useQuery } from '@tanstack/react-query'
import { type LinkProps, useNavigate } from '@tanstack/react-router'
import type { SearchHits } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Dialog } from '../kit/dialog.tsx'
import { texts } from '../texts/en.ts'
import { type AccountKind, navigationOf } from './navigation.ts'
import css from './palette.module.css'

const words = texts.kit.palette

interface Choice {
  readonly key: string
  readonly label: string
  readonly note: string
  readonly link: Pick<LinkProps, 'to' | 'params'>
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
  const q = text.trim()
  const search = useQuery({
    queryKey: ['searchIds', q],
    queryFn: () => call('searchIds', { query: { q } }),
    enabled: kind === 'merchant' && q.length >= LEAST_ID,
    staleTime: 5_000,
  })
  const choices = [...(search.data?.hits ?? []).map(choiceOf), ...pagesOf(kind, q)]
  const current = Math.min(at, choices.length - 1)
  const go = (choice: Choice | undefined): void => {
    if (choice === undefined) return
    onClose()
    void navigate(choice.link as never)
  }
  return (
    <Dialog title={words.title} onClose={onClose}>
      <form
        className={css.palette}
        onSubmit={(event) => {
          event.preventDefault()
          go(choices[current])
        }}
      >
        <input
          className={css.input}
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
              <span>{choice.label}</span>
              <small>{choice.note}</small>
            </div>
          ))}
        </div>
        <p role="status" className={css.count}>
          {search.isFetching
            ? words.searching
            : choices.length === 0
              ? words.none
              : words.count(choices.length)}
        </p>
      </form>
    </Dialog>
  )
}

const pagesOf = (kind: AccountKind, q: string): Choice[] =>
  navigationOf(kind)
    .flatMap(({ items }) => items)
    .filter(({ label }) => label.toLowerCase().includes(q.toLowerCase()))
    .map(({ to, label }) => ({ key: to, label, note: words.pages, link: { to } }))

const LINKS = {
  trade: (id: string) => ({ to: '/trades/$id/{-$tab}', params: { id } }),
  sub_user: (id: string) => ({ to: '/users/$id/{-$tab}', params: { id } }),
  event: (id: string) => ({ to: '/events/$id', params: { id } }),
  delivery: (id: string) => ({ to: '/webhook/deliveries/$id', params: { id } }),
} as const satisfies Record<
  SearchHits['hits'][number]['kind'],
  (id: string) => Pick<LinkProps, 'to' | 'params'>
>

const choiceOf = ({ kind, id, label }: SearchHits['hits'][number]): Choice => ({
  key: `${kind} ${id}`,
  label: `${words.kinds[kind]} ${label}`,
  note: id,
  link: LINKS[kind](id),
})
