// The game platform's adapter against the sandbox program: what runs here is what runs in production.
import { after, before } from 'node:test'
import { botsConformance } from './bots.ts'
import { platformConformance } from './platform.ts'
import { type PlatformSetup, startPlatformSetup } from './platform-setup.ts'

let setup: PlatformSetup
before(async () => {
  setup = await startPlatformSetup()
})
after(() => setup.close())

platformConformance(
  'the game platform',
  once(() => ({
    platform: setup.process().platform,
    astray: setup.processAt(setup.nowhere).platform,
    setOnline: (online) => setup.sandbox.platform().setOnline(online),
  })),
)

botsConformance(
  'the bots',
  once(() => ({
    ...setup.process(),
    other: setup.process(),
    astray: setup.processAt(setup.nowhere),
    environment: setup.sandbox.platform(),
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
