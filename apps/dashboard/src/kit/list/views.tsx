// Saved views of a list: each is a name for filters, kept by the service, and opened as an address.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SavedView, ViewedList } from '@tradepost/contract'
import { useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { viewsQuery } from '../../queries/views.ts'
import { parseSearch, stringifySearch } from '../../routes/search.ts'
import { texts } from '../../texts/texts.ts'
import { Button } from '../button.tsx'
import { Field } from '../field.tsx'
import { Form, textOf } from '../form.tsx'
import { Popover } from '../popover.tsx'
import { Text } from '../text.tsx'
import { type Filter, queryOf } from './filters.ts'
import css from './list.module.css'

const words = texts.kit.views
const MOST_LETTERS = 60

type Search = Readonly<Record<string, string | undefined>>

interface ViewsProps {
  readonly list: ViewedList
  readonly filters: readonly Filter[]
  readonly search: Search
}

export function Views({ list, filters, search }: ViewsProps) {
  const { data: views = [] } = useQuery(viewsQuery(list))
  // In the order of the filters: the same choice is the same text, however it was made.
  const textOfQuery = (of: Search): string => stringifySearch(queryOf(filters, of)).slice(1)
  const chosen = textOfQuery(search)
  const current = views.find(({ query }) => textOfQuery(parseSearch(query)) === chosen)
  return (
    <Popover
      title={words.title}
      isActive={current !== undefined}
      label={current === undefined ? words.title : words.current(current.name)}
    >
      {(close) => (
        <div className={css.views}>
          {views.length === 0 && <p>{words.none}</p>}
          {views.length > 0 && (
            <ul>
              {views.map((view) => (
                <View key={view.id} {...{ view, close }} />
              ))}
            </ul>
          )}
          {chosen === '' && <small>{words.hint}</small>}
          {chosen !== '' && current === undefined && (
            <SaveForm {...{ list, query: chosen }} hasTime={Boolean(search.from ?? search.to)} />
          )}
        </div>
      )}
    </Popover>
  )
}

function SaveForm({
  list,
  query,
  hasTime,
}: {
  readonly list: ViewedList
  readonly query: string
  readonly hasTime: boolean
}) {
  const queries = useQueryClient()
  return (
    <Form
      submit={words.save}
      done={texts.actions.saved}
      onSubmit={async (values) => {
        await call('saveView', { body: { list, query, name: textOf(values, 'name') } })
        await queries.invalidateQueries(viewsQuery(list))
      }}
    >
      {(problems) => (
        <Field
          {...{ label: words.name, name: 'name', maxLength: MOST_LETTERS }}
          {...{ hint: hasTime ? words.fixedTime : words.nameHint, problem: problems.name }}
          required
        />
      )}
    </Form>
  )
}

interface ViewProps {
  readonly view: SavedView
  readonly close: () => void
}

/** A row: the view, or the form that renames or deletes it. */
function View({ view: { id, list, name, query }, close }: ViewProps) {
  const [act, setAct] = useState<'rename' | 'remove' | null>(null)
  const row = useRef<HTMLLIElement>(null)
  const queries = useQueryClient()
  const end = (): void => {
    setAct(null)
    row.current?.focus()
  }
  const done = async (): Promise<void> => {
    await queries.invalidateQueries(viewsQuery(list))
    end()
  }
  return (
    <li ref={row} tabIndex={-1}>
      {act === null && (
        <div className={css.view}>
          <Link
            to="."
            search={parseSearch(query) as never}
            activeOptions={{ exact: true }}
            onClick={close}
          >
            <Text>{name}</Text>
          </Link>
          <Button
            {...{ look: 'quiet', size: 'small', 'aria-label': words.renameOne(name) }}
            onClick={() => setAct('rename')}
          >
            {words.rename}
          </Button>
          <Button
            {...{ look: 'quiet', size: 'small', 'aria-label': words.removeOne(name) }}
            onClick={() => setAct('remove')}
          >
            {words.remove}
          </Button>
        </div>
      )}
      {act === 'rename' && (
        <Form
          submit={texts.actions.save}
          done={texts.actions.saved}
          onCancel={end}
          onSubmit={async (values) => {
            const body = { name: textOf(values, 'name') }
            await call('renameView', { params: { id }, body })
            await done()
          }}
        >
          {(problems) => (
            <Field
              {...{ label: words.name, name: 'name', maxLength: MOST_LETTERS }}
              {...{ defaultValue: name, problem: problems.name }}
              autoFocus
              required
            />
          )}
        </Form>
      )}
      {act === 'remove' && (
        <Form
          {...{ submit: words.remove, look: 'danger', onCancel: end }}
          onSubmit={async () => {
            await call('deleteView', { params: { id } })
            await done()
          }}
        >
          {() => (
            <p ref={(element) => element?.focus()} tabIndex={-1}>
              {words.removeText(name)}
            </p>
          )}
        </Form>
      )}
    </li>
  )
}
