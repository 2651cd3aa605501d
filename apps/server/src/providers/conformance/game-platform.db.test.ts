// The game platform's adapter against the sandbox program: what runs here is what runs in production.
import { after, before } from 'node:test'
import { botsConformance } from './bots.ts'
import { platformConformance } from './platform.ts'
import { type PlatformRig, startPlatformRig } from './platform-rig.ts'

let rig: PlatformRig
before(async () => {
  rig = await startPlatformRig()
})
after(() => rig.close())

platformConformance(
  'the game platform',
  once(() => ({
    platform: rig.process().platform,
    astray: rig.processAt(rig.nowhere).platform,
    setOnline: (online) => rig.sandbox.platform().setOnline(online),
  })),
)

botsConformance(
  'the bots',
  once(() => ({
    ...rig.process(),
    other: rig.process(),
    astray: rig.processAt(rig.nowhere),
    world: rig.sandbox.platform(),
  })),
)

/** Suites ask for their subject in each test; it is made once, when the sandbox is up. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
