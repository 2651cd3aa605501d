// Pictures of items from our own origin, so that a page loads nothing from others.
import { ADDRESS_LIMITS } from '@tradepost/contract'
import { PICTURE_SIZES, pictureName, pictureSource } from '@tradepost/contract/picture-name'
import type { FastifyInstance } from 'fastify'
import type { CatalogueView, Pictures } from '#catalog'
import { mapInChunks } from '#infra/limits/in-chunks'
import type { Edge } from '../shared/edge.ts'
import type { AddressLimits } from '../shared/ports.ts'

/** The name is of what the picture shows: another picture has another name. */
const KEPT = 'public, max-age=31536000, immutable'
const NAMES_A_TURN = 2000

export interface PicturesDeps {
  readonly pictures: Pictures
  readonly addresses: Pick<AddressLimits, 'admit'>
}

/**
 * `GET /assets/items/{name}/{size}`: WebP, or 204 while there is none. A 404 would be an error in the console
 * of each page that asks before the picture was fetched.
 */
export function addPictures(
  app: FastifyInstance,
  edge: Edge,
  { pictures, addresses }: PicturesDeps,
): void {
  app.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/assets/items/:name/:size',
    handler: async (request, reply) => {
      const { name, size } = request.params as { readonly name: string; readonly size: string }
      const pixels = PICTURE_SIZES.find((one) => String(one) === size)
      if (pixels === undefined || !/^[0-9a-f]{16}$/.test(name)) return reply.callNotFound()
      edge.begin(request, reply, '/assets/items/{name}/{size}')
      try {
        const { refusal } = await addresses.admit(request.ip, ADDRESS_LIMITS.pictures)
        if (refusal !== null) throw refusal
        const bytes = await pictures.find(name, pixels === 64 ? 'small' : 'large')
        edge.commonHeaders(request, reply)
        reply.header('cross-origin-resource-policy', 'same-origin')
        if (bytes === null) return reply.code(204).header('cache-control', 'no-store').send()
        return reply.header('cache-control', KEPT).header('content-type', 'image/webp').send(bytes)
      } catch (error) {
        edge.fail(request, reply, error)
        return reply
      }
    },
  })
}

/** A reader of sources by the names of pictures; null where no item of the catalogue has one. */
export function createSourceOf(
  view: Pick<CatalogueView, 'iconUrls'>,
): (name: string) => Promise<string | null> {
  let known: { readonly of: ReadonlySet<string>; readonly sources: Promise<Sources> } | null = null
  return async (name) => {
    const { iconUrls } = view
    if (known?.of !== iconUrls) known = { of: iconUrls, sources: sourcesOf(iconUrls) }
    return (await known.sources).get(name) ?? null
  }
}

type Sources = ReadonlyMap<string | null, string | null>

const sourcesOf = async (iconUrls: ReadonlySet<string>): Promise<Sources> =>
  new Map(
    await mapInChunks(
      [...iconUrls],
      NAMES_A_TURN,
      (url) => [pictureName(url), pictureSource(url)] as const,
    ),
  )
