// Which sockets of scope=filter a listing concerns. Filters that ask for the same items are kept together and
// found by the item, so that a change is held against those that may fit and not against ten thousand.
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import {
  type CatalogueView,
  fitsTerms,
  type ItemFilter,
  type ItemSelection,
  isSelected,
  type ListingAttributes,
  type ListingTerms,
  selectedIds,
} from '#catalog'

export interface Filter {
  readonly items: ItemFilter
  readonly terms: ListingTerms
}

interface Filters<Owner> {
  add(owner: Owner, filter: Filter): void
  remove(owner: Owner): void
  /**
   * Brings the filters up to the catalogue of now. Until that is done, those that wait for it still ask for
   * the items of the catalogue before.
   */
  keepUp(): Promise<void>
  /** Is the item unknown to filters that are not up to the catalogue yet? */
  isEarlyFor(itemId: string): boolean
  /** Whose filter the listing fits, and whose it fitted before and does no more. */
  concerned(change: ListingAttributesChange): Concerned<Owner>
  /** Does the filter ask for the item? */
  mayFit(owner: Owner, itemId: string): boolean
  fits(owner: Owner, attributes: ListingAttributes): boolean
}

/** What a listing is, and what it was when that was last asked; null: not offered. */
interface ListingAttributesChange {
  readonly now: ListingAttributes | null
  readonly before: ListingAttributes | null
}

interface Concerned<Owner> {
  readonly fitting: readonly Owner[]
  readonly left: readonly Owner[]
}

/** Filters that ask for the same items. */
interface Selector<Owner> {
  readonly items: ItemFilter
  readonly terms: Map<Owner, ListingTerms>
  selection: ItemSelection
  /** Under which it is found; null: it is asked of every item. */
  itemIds: readonly string[] | null
}

/** A selector of more items than this is asked, which costs as much as a look into a table. */
const MOST_ITEMS = 1000
/** Of all selectors together: some 100 MB. Those that come then are asked of every item. */
const MOST_PLACES = 1_000_000
/** A text is searched for in some milliseconds; after so many other requests are served. */
const TURN_MS = 5

export function createFilters<Owner>(
  view: Pick<CatalogueView, 'select' | 'isCurrent'>,
): Filters<Owner> {
  const selectors = new Map<string, Selector<Owner>>()
  const selectorOf = new Map<Owner, Selector<Owner>>()
  const byItem = new Map<string, Set<Selector<Owner>>>()
  const ofEveryItem = new Set<Selector<Owner>>()
  let places = 0
  /** The catalogues before, of filters that are being brought up to the one of now. */
  const outdated = new Set<ItemSelection['index']>()

  const index = (selector: Selector<Owner>): void => {
    const { selection } = selector
    const itemIds = selectedIds(selection, MOST_ITEMS)
    if (itemIds === null || places + itemIds.length > MOST_PLACES) {
      ofEveryItem.add(selector)
      return
    }
    selector.itemIds = itemIds
    places += itemIds.length
    for (const itemId of itemIds) {
      const known = byItem.get(itemId)
      if (known === undefined) byItem.set(itemId, new Set([selector]))
      else known.add(selector)
    }
  }

  const unindex = (selector: Selector<Owner>): void => {
    ofEveryItem.delete(selector)
    for (const itemId of selector.itemIds ?? []) {
      const known = byItem.get(itemId)
      known?.delete(selector)
      if (known?.size === 0) byItem.delete(itemId)
    }
    places -= selector.itemIds?.length ?? 0
    selector.itemIds = null
  }

  const update = (selector: Selector<Owner>): void => {
    if (view.isCurrent(selector.selection)) return
    unindex(selector)
    selector.selection = view.select(selector.items)
    index(selector)
  }

  const ask = (
    itemId: string | undefined,
    { now, before }: ListingAttributesChange,
  ): Concerned<Owner> => {
    const fitting: Owner[] = []
    const left: Owner[] = []
    if (itemId === undefined) return { fitting, left }
    const askAll = ({ terms }: Selector<Owner>): void => {
      for (const [owner, wanted] of terms) {
        if (now !== null && fitsTerms(now, wanted)) fitting.push(owner)
        else if (before !== null && fitsTerms(before, wanted)) left.push(owner)
      }
    }
    for (const selector of byItem.get(itemId) ?? []) askAll(selector)
    for (const selector of ofEveryItem) {
      if (isSelected(selector.selection, itemId)) askAll(selector)
    }
    return { fitting, left }
  }

  return {
    isEarlyFor: (itemId) => [...outdated].some(({ ordinalOf }) => !ordinalOf.has(itemId)),
    add: (owner, { items, terms }) => {
      const key = JSON.stringify(items)
      let selector = selectors.get(key)
      if (selector === undefined) {
        selector = { items, terms: new Map(), selection: view.select(items), itemIds: null }
        selectors.set(key, selector)
        index(selector)
      } else update(selector)
      selector.terms.set(owner, terms)
      selectorOf.set(owner, selector)
    },
    remove: (owner) => {
      const selector = selectorOf.get(owner)
      if (selector === undefined) return
      selectorOf.delete(owner)
      selector.terms.delete(owner)
      if (selector.terms.size > 0) return
      unindex(selector)
      selectors.delete(JSON.stringify(selector.items))
    },
    keepUp: async () => {
      const stale = [...selectors.values()].filter(({ selection }) => !view.isCurrent(selection))
      for (const { selection } of stale) outdated.add(selection.index)
      let sinceMs = performance.now()
      try {
        for (const selector of stale) {
          // Its last owner may have left meanwhile.
          if (selector.terms.size > 0) update(selector)
          if (performance.now() - sinceMs < TURN_MS) continue
          await yieldToOthers()
          sinceMs = performance.now()
        }
      } finally {
        outdated.clear()
      }
    },
    concerned: ({ now, before }) => {
      if (now === null || before === null || now.itemId === before.itemId) {
        return ask(now?.itemId ?? before?.itemId, { now, before })
      }
      // It was taken for another item.
      const { fitting } = ask(now.itemId, { now, before: null })
      const { left } = ask(before.itemId, { now: null, before })
      return { fitting, left: left.filter((owner) => !fitting.includes(owner)) }
    },
    mayFit: (owner, itemId) => {
      const selector = selectorOf.get(owner)
      return selector !== undefined && isSelected(selector.selection, itemId)
    },
    fits: (owner, attributes) => {
      const selector = selectorOf.get(owner)
      const terms = selector?.terms.get(owner)
      return (
        selector !== undefined &&
        terms !== undefined &&
        isSelected(selector.selection, attributes.itemId) &&
        fitsTerms(attributes, terms)
      )
    },
  }
}
