// Every page of the dashboard in a real browser: axe in both themes, on a phone and on a wide screen, over
// data that tries to break out of it. The pages of a merchant are walked in merchant-pages.db.test.ts.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noBrowser, open, PHONE, WIDE } from '../support/browser.ts'
import { givenDashboard, judgePages, logInTo, pagesOf } from '../support/dashboard.ts'
import { givenHostileService, type HostileService } from '../support/hostile-data.ts'
import { findUnwalkedRoutes, MARKUP, PAGES, readRoutes } from '../support/pages.ts'

const skip = noBrowser

let service: HostileService
const dashboard = givenDashboard(async (started) => {
  service = await givenHostileService(started)
})

/** `as` is who opens the pages; anonymous callers have not logged in. */
const WALKS = {
  'an anonymous caller': { as: () => null, paths: PAGES.anonymous },
  'an owner of an account': {
    as: () => service.owner,
    paths: [...PAGES.account, ...PAGES.money],
  },
  'a partner': { as: () => service.partner, paths: PAGES.partner },
  'an administrator': { as: () => service.admin, paths: PAGES.admin },
} as const
/** A partner's pages are laid out like those of the others, which are opened on both screens. */
const ON_A_WIDE_SCREEN = [
  'an anonymous caller',
  'an owner of an account',
  'an administrator',
] as const

const walk = (who: keyof typeof WALKS, screen: typeof PHONE): void => {
  it(`of ${who} shows hostile text as text, passes axe and fits the screen`, {
    skip,
  }, async (t) => {
    const { as, paths } = WALKS[who]
    const { server, browser } = dashboard
    const base = pagesOf(server)
    const options = { ...screen, userAgent: MARKUP }
    const person = as()
    const watched =
      person === null
        ? await open(t, { browser, url: `${base}/login`, options })
        : await logInTo(t, { server, browser, email: person.email, options })
    assert.deepEqual(await judgePages(watched, { base, paths, ids: service.ids }), [])
  })
}

describe('on a phone, in both themes, every page', () => {
  for (const who of Object.keys(WALKS) as (keyof typeof WALKS)[]) walk(who, PHONE)
})

describe('on a wide screen, every page', () => {
  for (const who of ON_A_WIDE_SCREEN) walk(who, WIDE)
})

it('every route of the application is in a walk', () => {
  assert.ok(readRoutes().length > 50)
  assert.deepEqual(findUnwalkedRoutes(), [])
})
