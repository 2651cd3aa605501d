// A list of any length: filters in the address, rows by cursor, drawn only where the reader looks.

import { useQueryClient } from '@tanstack/react-query'
import { Link, type LinkProps, useLocation, useSearch } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type ListRequest, type ListRouteId, PAGE_ROWS, type RowOf } from '../../queries/rows.ts'
import { texts } from '../../texts/texts.ts'
import { AsOf } from '../as-of.tsx'
import { Button } from '../button.tsx'
import { areShortcutsOn, isTyping } from '../keyboard.ts'
import { isNarrowWindow } from '../narrow.ts'
import { Failure, Notice } from '../notice.tsx'
import { Page, type PageProps } from '../page.tsx'
import { asText } from '../text.tsx'
import { InRow } from '../time.tsx'
import { FilterBar } from './filter-bar.tsx'
import { type Filter, isBadFilter, namesOf, queryOf } from './filters.ts'
import css from './list.module.css'
import { useRows } from './use-rows.ts'

const words = texts.kit.list

export interface ListColumn<Row> {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'end'
  /** In px; without one the column shares what is left. */
  readonly width?: number
  /** Left out between 600 and 1,100 px. */
  readonly isMinor?: boolean
  /** Left out of the cards and lines of a phone: it does not tell one row from another. */
  readonly isOffCards?: boolean
  /** Of rows of two lines: at the end of the first, not in the second. */
  readonly isInFirstLine?: boolean
  /** Left out while no row has anything in it. */
  readonly isOptional?: boolean
}

export interface ListProps<Id extends ListRouteId> {
  /** Names the table for screen readers. */
  readonly caption: string
  readonly route: Id
  readonly params?: Readonly<Record<string, string>>
  /** Parameters that the reader cannot change. */
  readonly fixed?: Readonly<Record<string, string>>
  readonly filters?: readonly Filter[]
  readonly columns: readonly ListColumn<RowOf<Id>>[]
  readonly keyOf: (row: RowOf<Id>) => string
  /** Where the first cell of a row leads to. */
  readonly open?: (row: RowOf<Id>) => Pick<LinkProps, 'to' | 'params' | 'search'> | null
  /** Why there is nothing, and what to do next. */
  readonly empty: ReactNode
  /** Receives the query of the filters, for instance for an export. */
  readonly act?: (query: Readonly<Record<string, string>>) => ReactNode
  /** On a phone a row is two lines and not a card: for long lists whose rows are read one below the other. */
  readonly isOfLines?: boolean
  /** Looks for new rows; not for rows that come only when the reader acts. */
  readonly isLive?: boolean
}

/** `title` names its table, too, unless `caption` does: a page with tabs has the name of its section. */
export function ListPage<Id extends ListRouteId>({
  title,
  caption = title,
  parent,
  lead,
  act,
  ...list
}: Omit<ListProps<Id>, 'caption'> &
  Pick<PageProps, 'title' | 'parent'> & {
    readonly caption?: string
    readonly lead?: ReactNode
  }) {
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>
  const query = queryOf(list.filters ?? [], search)
  return (
    <Page {...{ title, parent }} act={act?.(query)}>
      {lead}
      <List {...(list as unknown as ListProps<Id>)} caption={caption} />
    </Page>
  )
}

export function List<Id extends ListRouteId>({
  caption,
  route,
  params,
  fixed = {},
  filters = [],
  columns,
  keyOf,
  open,
  empty,
  isOfLines = false,
  isLive = true,
}: ListProps<Id>) {
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>
  const chosen = queryOf(filters, search)
  const request: ListRequest<Id> = { route, params, query: { ...fixed, ...chosen } }
  const { list, rows, start, newCount, isManyNew } = useRows(request, { keyOf, isLive })
  const queries = useQueryClient()
  const showNewest = async (): Promise<void> => {
    window.scrollTo({ top: 0 })
    await queries.resetQueries({ queryKey: [route, 'rows'] })
  }
  const isFiltered = Object.keys(chosen).length > 0
  return (
    <div className={css.list}>
      {filters.length > 0 && <FilterBar {...{ filters, search, list: route }} />}
      {list.error &&
        (isBadFilter(list.error) ? (
          <Notice tone="bad">{words.badFilter}</Notice>
        ) : (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ))}
      {newCount > 0 && (
        <button type="button" className={css.newest} onClick={() => void showNewest()}>
          {words.newRows(newCount, isManyNew)}
        </button>
      )}
      {list.isPending && <Skeleton columns={columns} />}
      {list.data && rows.length === 0 && (
        <div className={css.empty}>
          {isFiltered ? (
            <NoMatch names={filters.flatMap(namesOf)} isMore={list.hasNextPage} />
          ) : (
            empty
          )}
          <LookFurther list={list} />
        </div>
      )}
      <AsOf at={list.data?.pages[0]?.asOf} />
      {rows.length > 0 && (
        <Rows {...{ caption, columns, rows, start, keyOf, open, list, isOfLines }} />
      )}
    </div>
  )
}

/** One call looks at a bounded number of rows for those that filters want: the reader asks for more. */
const isCutShort = ({ data, hasNextPage }: Pick<RowsList, 'data' | 'hasNextPage'>): boolean =>
  hasNextPage && (data?.pages.at(-1)?.items.length ?? 0) < PAGE_ROWS

const LookFurther = ({ list }: { readonly list: RowsList }) =>
  isCutShort(list) && (
    <Button size="small" onClick={() => void list.fetchNextPage()}>
      {list.isFetchingNextPage ? words.loading : words.lookFurther}
    </Button>
  )

function NoMatch({
  names,
  isMore,
}: {
  readonly names: readonly string[]
  readonly isMore: boolean
}) {
  const search = useSearch({ strict: false })
  const rest = Object.fromEntries(Object.entries(search).filter(([name]) => !names.includes(name)))
  return (
    <>
      {isMore ? words.noMatchYet : words.noMatch}
      <Link to="." search={rest as never}>
        {words.showAll}
      </Link>
    </>
  )
}

type RowsList = ReturnType<typeof useRows>['list']

interface RowsProps<Row> {
  readonly caption: string
  readonly columns: readonly ListColumn<Row>[]
  readonly rows: readonly Row[]
  readonly start: number
  readonly keyOf: (row: Row) => string
  readonly open: ((row: Row) => Pick<LinkProps, 'to' | 'params' | 'search'> | null) | undefined
  readonly list: RowsList
  readonly isOfLines: boolean
}

const ROW_PX = 37
/** On a phone a row is a card, with a margin below it that its own height leaves out. */
const CARD_PX = 132
const CARD_MARGIN_PX = 8
const LINES_PX = 57
const NEAR_END_ROWS = 30
/** So few rows are all drawn: a search in the page, a print and a picture of the page have the whole list. */
const SHORT_LIST_ROWS = 50

const isEmpty = (shown: ReactNode): boolean =>
  shown === null || shown === undefined || shown === false || shown === ''

function Rows<Row>(props: RowsProps<Row>) {
  const { caption, columns: wanted, rows, start, keyOf, open, list, isOfLines } = props
  const columns = useMemo(
    () =>
      wanted.filter(
        ({ isOptional, cell }) => !isOptional || rows.some((row) => !isEmpty(cell(row))),
      ),
    [wanted, rows],
  )
  const table = useRef<HTMLTableElement>(null)
  const [margin, setMargin] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what stands above may have changed its height
  useLayoutEffect(() => {
    const top = table.current?.getBoundingClientRect().top ?? 0
    setMargin(Math.round(top + window.scrollY))
  }, [rows.length])
  const isNarrow = isNarrowWindow()
  const isOfCards = isNarrow && !isOfLines
  const virtual = useWindowVirtualizer({
    count: start + rows.length,
    estimateSize: () => (isOfCards ? CARD_PX : isNarrow ? LINES_PX : ROW_PX),
    gap: isOfCards ? CARD_MARGIN_PX : 0,
    overscan: start + rows.length <= SHORT_LIST_ROWS ? SHORT_LIST_ROWS : 12,
    scrollMargin: margin,
    getItemKey: (index) => {
      const row = rows[index - start]
      return row === undefined ? index : keyOf(row)
    },
  })
  const items = virtual.getVirtualItems()
  const firstSeen = items[0]?.index ?? 0
  const lastSeen = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (list.isFetching || list.isPlaceholderData) return
    if (firstSeen < start + NEAR_END_ROWS && list.hasPreviousPage) void list.fetchPreviousPage()
    else if (isCutShort(list)) return
    else if (lastSeen > start + rows.length - NEAR_END_ROWS && list.hasNextPage) {
      void list.fetchNextPage()
    }
  }, [list, firstSeen, lastSeen, start, rows.length])
  const focusRow = (index: number): void => {
    const find = (): HTMLElement | null =>
      table.current?.querySelector<HTMLElement>(`tr[data-index="${index}"]`) ?? null
    const focus = (): void => {
      const row = find()
      const target = row?.querySelector<HTMLElement>('a') ?? row
      target?.focus({ preventScroll: true })
      row?.scrollIntoView({ block: 'nearest' })
    }
    if (find() === null) {
      // It is drawn first.
      virtual.scrollToIndex(index)
      requestAnimationFrame(focus)
    } else focus()
  }
  useRowKeys(focusRow, start + rows.length)
  const keepPlace = usePlace((key) => {
    const at = rows.findIndex((row) => keyOf(row) === key)
    if (at >= 0) focusRow(start + at)
  })
  const before = (items[0]?.start ?? margin) - margin
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin)
  return (
    <>
      <table
        ref={table}
        className={css.table}
        data-opens={open !== undefined || undefined}
        data-lines={isOfLines || undefined}
        aria-rowcount={list.hasNextPage ? -1 : start + rows.length + 1}
        aria-busy={list.isPlaceholderData}
      >
        <caption className="visually-hidden">{`${caption}. ${words.keys}`}</caption>
        <colgroup>
          {columns.map(({ head, width, isMinor }) => (
            <col
              key={head}
              data-minor={isMinor || undefined}
              style={width === undefined ? undefined : { width }}
            />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ head, align, isMinor }) => (
              <th key={head} scope="col" data-align={align} data-minor={isMinor || undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <Space height={before} />
        <tbody>
          {items.map(({ index, key }) => {
            const row = rows[index - start]
            return (
              <tr
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                aria-rowindex={index + 2}
                tabIndex={-1}
                className={css.row}
              >
                {row === undefined ? (
                  <td colSpan={columns.length}>{words.loading}</td>
                ) : (
                  <InRow value={open !== undefined}>
                    <Cells {...{ row, columns, open }} onOpen={() => keepPlace(keyOf(row))} />
                  </InRow>
                )}
              </tr>
            )
          })}
        </tbody>
        <Space height={after} />
      </table>
      <p className={css.count}>
        {list.isFetchingNextPage
          ? words.loading
          : words.loaded(start + rows.length, list.hasNextPage)}
      </p>
      <LookFurther list={list} />
    </>
  )
}

/** Holds the place of the rows that are not drawn. */
const Space = ({ height }: { readonly height: number }) =>
  height > 0 && (
    <tbody aria-hidden="true">
      <tr style={{ height }}>
        <td className={css.space} />
      </tr>
    </tbody>
  )

function Cells<Row>({
  row,
  columns,
  open,
  onOpen,
}: Pick<RowsProps<Row>, 'columns' | 'open'> & { row: Row; onOpen: () => void }) {
  const link = open?.(row) ?? null
  return columns.map(({ head, cell, align, isMinor, isOffCards, isInFirstLine }, i) => (
    <td
      key={head}
      data-label={head}
      data-align={align}
      data-minor={isMinor || undefined}
      data-off-cards={isOffCards || undefined}
      data-first-line={isInFirstLine || undefined}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a tooltip for what is cut off; readers get the whole text */}
      <div onMouseEnter={({ currentTarget }) => showWhole(currentTarget)}>
        {i === 0 && link !== null ? (
          <Link {...(link as LinkProps)} className={css.open} onClick={onOpen}>
            {asText(cell(row))}
          </Link>
        ) : (
          asText(cell(row))
        )}
      </div>
    </td>
  ))
}

/** What is cut off is shown whole by the browser's own tooltip. */
function showWhole(cell: HTMLElement): void {
  cell.title = cell.scrollWidth > cell.clientWidth ? cell.innerText : ''
}

/** j and k move the focus from row to row; Enter is the link's own. */
function useRowKeys(focusRow: (index: number) => void, count: number): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'j' && event.key !== 'k') return
      if (!areShortcutsOn() || isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) {
        return
      }
      const focused = document.activeElement?.closest<HTMLElement>('tr[data-index]')
      const from = focused?.dataset.index
      const step = event.key === 'j' ? 1 : -1
      const next = from === undefined ? 0 : Number(from) + step
      if (next < 0 || next >= count) return
      event.preventDefault()
      focusRow(next)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [focusRow, count])
}

/** The row that was opened last, by the entry of the browser's history that the list is shown in. */
const opened = new Map<string, string>()

/** Who comes back to a list is again at the row that was opened. Returns what notes that one is opened. */
function usePlace(focusRow: (key: string) => void): (key: string) => void {
  const entry = useLocation().state.__TSR_key ?? ''
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the list is shown
  useEffect(() => {
    const key = opened.get(entry)
    if (key === undefined) return
    // After the heading of the page has taken the focus.
    const frame = requestAnimationFrame(() => focusRow(key))
    return () => cancelAnimationFrame(frame)
  }, [])
  return (key) => opened.set(entry, key)
}

const SKELETON_ROWS = 8

/** As high as the rows that follow it. */
function Skeleton<Row>({ columns }: { readonly columns: readonly ListColumn<Row>[] }) {
  return (
    <div className={css.skeleton} role="status" aria-label={words.loading} data-loading>
      {Array.from({ length: SKELETON_ROWS }, (_, i) => `row-${i}`).map((key) => (
        <div key={key} className={css.bones}>
          {columns.slice(0, 5).map(({ head }) => (
            <span key={head} />
          ))}
        </div>
      ))}
    </div>
  )
}
