// The same read at two sizes: each is a database with an API process of its own; both run, one at a time is
// asked.

import { auditBooks } from '../installation/installation.ts'
import type { Helper } from '../ipc.ts'
import type { LoadMethods } from '../load/process.ts'
import type { OurProcess } from '../servers/tradepost.ts'
import { type Bench, type Line, startLoad } from './row.ts'

export interface Place {
  readonly name: string
  readonly url: string
  readonly api: OurProcess
}

/** A clone of the database `from`, filled and then served. */
export async function openPlace(
  { installation }: Bench,
  { from, name, fill }: { from: string; name: string; fill: (url: string) => Promise<void> },
): Promise<Place> {
  const url = await installation.clone(from, name)
  await fill(url)
  return { name, url, api: await installation.startApi(url) }
}

export interface TwoSizes<P extends Place> {
  readonly small: P
  readonly big: P
  readonly load: Helper<LoadMethods>
}

/** Opens both, measures, audits the books of both, and removes them. */
export async function onTwoSizes<P extends Place>(
  { installation }: Bench,
  { small, big }: { readonly small: () => Promise<P>; readonly big: () => Promise<P> },
  measure: (sizes: TwoSizes<P>) => Promise<Line[]>,
): Promise<Line[]> {
  const places: P[] = []
  const load = startLoad()
  const opened = async (open: () => Promise<P>): Promise<P> => {
    const place = await open()
    places.push(place)
    return place
  }
  try {
    const sizes = { small: await opened(small), big: await opened(big), load }
    const lines = await measure(sizes)
    for (const { url } of places) await auditBooks(url)
    return lines
  } finally {
    await Promise.all([load.stop(), ...places.map(({ api }) => api.stop())])
    for (const { name } of places) await installation.drop(name)
  }
}
