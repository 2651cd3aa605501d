// What of a query names items of the catalogue.
import type { SearchQuery } from '@tradepost/contract'
import type { CatalogueView, Facet } from '#catalog'
import { refuseField } from '../failure.ts'

/** The contract knows the values of these; of the others only the catalogue does. */
const CLOSED_FACETS = ['category', 'phase'] as const satisfies readonly Facet[]
const OPEN_FACETS = [
  'itemType',
  'weapon',
  'exterior',
  'rarity',
  'collection',
] as const satisfies readonly Facet[]

export type FacetQuery = Pick<SearchQuery, (typeof CLOSED_FACETS | typeof OPEN_FACETS)[number]>

/** Refuses a value that no item has. */
export function facetsOf(
  view: Pick<CatalogueView, 'knows'>,
  query: FacetQuery,
): Partial<Record<Facet, readonly string[]>> {
  const facets: Partial<Record<Facet, readonly string[]>> = {}
  for (const facet of CLOSED_FACETS) {
    const text = query[facet]
    if (text !== undefined) facets[facet] = text.split(',')
  }
  for (const facet of OPEN_FACETS) {
    const text = query[facet]
    if (text === undefined) continue
    const values = text.split(',')
    if (!values.every((value) => view.knows(facet, value))) {
      refuseField({
        ...{ in: 'query', pointer: `/${facet}`, rule: 'enum' },
        message: 'must be a value that an item of the catalogue has',
      })
    }
    facets[facet] = values
  }
  return facets
}
