// Pictures of items, where the platform has them: below their hashes.
import type { CatalogueItem } from '../dataset/types.ts'
import type { Party, PartyContext } from '../party/party.ts'
import { drawItem } from './draw.ts'

export function createPictures({ keeper }: PartyContext): Party {
  let items: ReadonlyMap<string, CatalogueItem> | null = null
  const find = (hash: string): CatalogueItem | undefined => {
    // Several items have one picture; the first of them is drawn.
    items ??= new Map(keeper.dataset.catalogue.toReversed().map((item) => [item.iconUrl, item]))
    return items.get(hash)
  }
  return {
    protocols: [
      {
        prefix: '/pictures',
        routes: (app) => {
          app.get<{ Params: { hash: string } }>('/:hash', (request, reply) => {
            const item = find(request.params.hash)
            if (item === undefined || item.iconUrl === '') return reply.code(404).send()
            return reply
              .type('image/svg+xml')
              .header('cache-control', 'public, max-age=86400')
              .send(drawItem(item))
          })
        },
      },
    ],
  }
}
