// The promises of the catalog port's feed, tried on an adapter against a living market.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FeedEvent, MarketFeed, SourceListing } from '#ports/catalog'
import { type EnvironmentListing, eventually, type MarketEnvironment } from './environment.ts'

export interface FeedUnderTest {
  readonly feed: MarketFeed
  readonly environment: MarketEnvironment
}

export function feedConformance(name: string, setUp: () => FeedUnderTest): void {
  describe(`${name} as a feed`, { concurrency: 1 }, () => {
    test("a snapshot is the supplier's list", async () => {
      const { feed, environment } = setUp()
      assert.deepEqual(
        summary(await snapshotOf(feed)),
        environmentSummary(await environment.listings()),
      )
    })

    test('details are reported where the market has them, within their bounds', async () => {
      const { feed } = setUp()
      const listings = [...(await snapshotOf(feed)).values()]
      assert.ok(listings.some(({ wear, paintSeed }) => wear !== null && paintSeed !== null))
      for (const { wear, paintSeed, delivery, priceMills } of listings) {
        assert.ok(wear === null || (Number(wear) > 0 && Number(wear) <= 1), `wear ${wear}`)
        assert.ok(paintSeed === null || (paintSeed >= 0 && paintSeed <= 1000))
        assert.ok(delivery === 'standard' || delivery === 'instant')
        assert.ok(priceMills > 0n)
      }
    })

    test('a price that moves and a listing that goes are reported, and a snapshot agrees', async () => {
      const { feed, environment } = setUp()
      await snapshotOf(feed)
      await withChanges(feed, async (seen) => {
        const moved = await environment.takeOneOfSeveral()
        const gone = await environment.takeOneOfSeveral()
        const priceMills = moved.priceMills + 1_230
        await environment.setPrice(moved.id, priceMills)
        await environment.remove(gone.id)
        await seen(`the price of ${moved.id}`, (event) => tellsPrice(event, moved.id, priceMills))
        await seen(`the end of ${gone.id}`, (e) => e.kind === 'remove' && e.rawId === gone.id)
        // The market's own file is older than these changes.
        const snapshot = await snapshotOf(feed)
        assert.equal(Number(snapshot.get(moved.id)?.priceMills), priceMills)
        assert.equal(snapshot.has(gone.id), false)
      })
    })

    test('a connection that is cut comes back and reports a gap', async () => {
      const { feed, environment } = setUp()
      await withChanges(feed, async (seen) => {
        // A change that is reported proves that the socket is up.
        const listing = await environment.takeOneOfSeveral()
        await environment.setPrice(listing.id, listing.priceMills + 10)
        await seen('a first change', (event) =>
          tellsPrice(event, listing.id, listing.priceMills + 10),
        )
        await environment.script('socket_cut')
        await seen('a gap', (event) => event.kind === 'gap')
        await environment.setPrice(listing.id, listing.priceMills + 20)
        await seen('a change after the gap', (event) =>
          tellsPrice(event, listing.id, listing.priceMills + 20),
        )
      })
    })

    test('events that come twice and late change nothing that is newer', async () => {
      const { feed, environment } = setUp()
      await withChanges(feed, async (seen) => {
        const listing = await environment.takeOneOfSeveral()
        const last = listing.priceMills + 500
        await environment.script('duplicate_news')
        for (let step = 100; step <= 500; step += 100) {
          await environment.setPrice(listing.id, listing.priceMills + step)
        }
        await seen('the last price', (event) => tellsPrice(event, listing.id, last))
      })
    })

    test('a market that is away is offline, its snapshot throws, and both heal', async () => {
      const { feed, environment } = setUp()
      const health = async (online: boolean) =>
        eventually(`online: ${online}`, async () => (await feed.health()).online === online)
      await health(true)
      const { balanceMills } = await feed.health()
      assert.equal(Number(balanceMills), await environment.balanceMills())
      await environment.setOnline(false)
      try {
        await health(false)
        await assert.rejects(snapshotOf(feed))
      } finally {
        await environment.setOnline(true)
      }
      await health(true)
      assert.ok((await snapshotOf(feed)).size > 0)
    })

    test('reading ends at once when it is aborted', async () => {
      const { feed } = setUp()
      const stop = new AbortController()
      const ended = (async () => {
        for await (const _ of feed.changes(stop.signal)) void _
      })()
      stop.abort()
      await ended
    })
  })
}

export async function snapshotOf(feed: MarketFeed): Promise<Map<string, SourceListing>> {
  const listings = new Map<string, SourceListing>()
  for await (const chunk of feed.snapshot(AbortSignal.timeout(30_000))) {
    for (const listing of chunk) listings.set(listing.rawId, listing)
  }
  return listings
}

type Seen = (what: string, matches: (event: FeedEvent) => boolean) => Promise<void>

/** Reads changes while `work` runs. Each look begins after the event that the last one found. */
export async function withChanges(
  feed: MarketFeed,
  work: (seen: Seen) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const events: FeedEvent[] = []
  const reading = (async () => {
    for await (const event of feed.changes(stop.signal)) events.push(event)
  })()
  // The feed says that it is subscribed by the gap that a snapshot before it leaves.
  const subscribed = eventually('the subscription', async () =>
    events.some((e) => e.kind === 'gap'),
  )
  try {
    await subscribed
    events.length = 0
    await work(async (what, matches) => {
      const found = await eventually(what, async () => {
        const at = events.findIndex(matches)
        return at < 0 ? null : { at }
      })
      events.splice(0, found.at + 1)
    })
  } finally {
    stop.abort()
    await reading
  }
}

export const tellsPrice = (event: FeedEvent, rawId: string, priceMills: number): boolean =>
  (event.kind === 'price' && event.rawId === rawId && Number(event.priceMills) === priceMills) ||
  (event.kind === 'upsert' &&
    event.listing.rawId === rawId &&
    Number(event.listing.priceMills) === priceMills)

/** What both sides say of a listing, in one spelling: floats differ in digits, not in value. */
const summary = (listings: ReadonlyMap<string, SourceListing>): string[] =>
  [...listings.values()]
    .map((listing) =>
      line({
        ...listing,
        id: listing.rawId,
        priceMills: Number(listing.priceMills),
        auto: listing.delivery === 'instant',
        wear: listing.wear === null ? null : Number(listing.wear),
      }),
    )
    .sort()

const environmentSummary = (listings: readonly EnvironmentListing[]): string[] =>
  listings.map(line).sort()

function line(listing: EnvironmentListing): string {
  const { id, marketHashName, phase, priceMills, auto, wear, paintSeed } = listing
  const float = wear === null ? null : Math.fround(wear)
  return JSON.stringify([id, marketHashName, phase, priceMills, auto, float, paintSeed])
}
