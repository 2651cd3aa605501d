import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { ERRORS, openapiDocuments } from '@tradepost/contract'
import { lookCss } from '@tradepost/look/css'
import { markSvg } from '@tradepost/look/mark'
import { strFromU8, unzipSync } from 'fflate'
import { assertDefined } from '#kernel/assert'
import { CASE_KINDS, runbookOf } from '#reconciliation'
import { STATUSES, TRANSITIONS } from '#trades'
import { startTestServer, type TestServer } from '../shared/testing/server.ts'
import { zipped } from './archive.ts'
import { DRAWINGS, drawingOf } from './site/drawings.ts'
import { renderMarkdown } from './site/markdown.ts'
import { markdownUrlOf, PAGES, ROOT, urlOf } from './site/pages.ts'
import { plainMarkdown } from './site/plain-markdown.ts'
import { renderSite, type SearchEntry } from './site/site.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.close())

test('the root leads to the documentation', async () => {
  for (const path of ['/', '/docs/']) {
    const answer = await server.call('GET', path)
    assert.equal(answer.status, 302)
    assert.equal(answer.headers.get('location'), '/docs')
  }
})

test('search shows guides before routes, unless a route is typed, and the dashboard’s own routes last', async () => {
  const program = join(ROOT, 'apps/server/docs-site/search.mjs')
  const { find } = (await import(program)) as {
    find(entries: readonly SearchEntry[], text: string): SearchEntry[]
  }
  const documents = ['merchant', 'dashboard'].map((name) =>
    assertDefined(openapiDocuments[name], `the document ${name}`)(),
  )
  const { index } = await renderSite(documents)
  const isRoute = ({ page }: SearchEntry): boolean => page === 'API reference'
  for (const text of ['webhook secret', 'cancel', 'refund']) {
    assert.deepEqual(find(index, text).slice(0, 3).filter(isRoute), [], text)
  }
  assert.equal(find(index, '/market/buy')[0]?.title, 'POST /market/buy')
  const found = find(index.filter(isRoute), 'fees').map(({ title }) => title)
  const ofDashboard = found.map((title) => title.includes('/dashboard/'))
  assert.deepEqual([...new Set(ofDashboard)], [false, true], found.join())
  assert.deepEqual(ofDashboard, ofDashboard.toSorted())
})

test('a search of the guides bears one typing error, and finds words that a page has in several parts', async () => {
  const program = join(ROOT, 'apps/server/docs-site/search.mjs')
  const { find } = (await import(program)) as {
    find(entries: readonly SearchEntry[], text: string): SearchEntry[]
  }
  const { index } = await renderSite([])
  const urls = (text: string): string[] => find(index, text).map(({ url }) => url)
  for (const text of ['wehbook', 'webook', 'webhoook', 'wbehook', 'xebhook']) {
    assert.deepEqual(urls(text), urls('webhook'), text)
  }
  assert.equal(urls('idempotncy')[0], urls('idempotency')[0])
  assert.equal(urls('test card')[0], '/docs/deposits#by-card')
  const verifying = urls('verify signature')
  for (const part of ['', '#an-endpoint', '#without-the-sdk', '#five-rules-for-a-good-endpoint']) {
    assert.ok(verifying.includes(`/docs/webhooks${part}`), part)
  }
  assert.deepEqual(urls('zzzzzz'), [])
})

test('a document is sent bare and may be asked for again by its tag', async () => {
  const first = await server.call('GET', '/openapi/merchant.json')
  assert.deepEqual(JSON.parse(first.text), { openapi: '3.1.0' })
  assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8')
  const etag = first.headers.get('etag') ?? ''
  const again = await server.call('GET', '/openapi/merchant.json', {
    headers: { 'if-none-match': etag },
  })
  assert.equal(again.status, 304)
  assert.equal((await server.call('GET', '/openapi/other.json')).status, 404)
})

test('everything that the reference loads is of this server, and its policy allows nothing else', async () => {
  const page = await server.call('GET', '/docs/reference')
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.ok(!/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/.test(policy))
  assert.ok(!/<script>|\son\w+=/.test(page.text), 'inline scripts would be blocked')
  const loaded = [...page.text.matchAll(/ src="([^"]*)"/g)].map(([, url]) => url ?? '')
  const scripts = loaded.filter((url) => url !== '/icon.svg')
  assert.deepEqual(scripts, ['theme.js', 'site.mjs', 'viewer.js', 'start.js'].map(inDocs))
  for (const url of scripts) {
    const script = await server.call('GET', url)
    assert.equal(script.status, 200)
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8')
  }
})

const inDocs = (name: string): string => `/docs/${name}`

test('the reference has the menu, the search and the theme of the guides, and no key of its maker', async () => {
  const { text } = await server.call('GET', '/docs/reference')
  const [, menu = ''] = /<nav class="menu" [^>]*>([\s\S]*?)<\/nav>/.exec(text) ?? []
  const links = [...menu.matchAll(/<a href="([^"]*)"/g)].map(([, url]) => url)
  assert.deepEqual(links.toSorted(), [...PAGES.map(urlOf), '/docs/reference'].toSorted())
  assert.match(menu, /<a href="\/docs\/reference" aria-current="page">/)
  assert.ok(text.includes(' id="search"') && text.includes(' id="theme"'))
  const viewer = await server.call('GET', '/docs/viewer.js')
  assert.ok(viewer.text.includes('YOUR_API_KEY'))
  assert.doesNotMatch(viewer.text, /YOUR_SECRET_TOKEN|QUxMIFlPVVI/)
})

test('each page leads back to the dashboard', async () => {
  for (const url of ['/docs', '/docs/webhooks', '/docs/reference']) {
    const { text } = await server.call('GET', url)
    assert.match(text, /<a [^>]*href="\/dashboard">Dashboard<\/a>/, url)
  }
})

test('what a page shows its colours by is the look that all parts share', async () => {
  for (const url of ['/docs', '/docs/webhooks', '/docs/reference']) {
    const { text } = await server.call('GET', url)
    assert.ok(text.includes('<link rel="stylesheet" href="/docs/look.css">'), url)
  }
  assert.equal((await server.call('GET', '/docs/look.css')).text, lookCss())
  assert.equal((await server.call('GET', '/icon.svg')).text, markSvg())
})

test('every guide of the repository is a page', () => {
  const shown = new Set(PAGES.map(({ file }) => file))
  const missing = readdirSync(join(ROOT, 'docs/guides')).filter(
    (name) => name.endsWith('.md') && !shown.has(`docs/guides/${name}`),
  )
  assert.deepEqual(missing, [])
})

test('every page has a title, one heading, its landmarks, and a policy without exceptions', async () => {
  const titles = new Set<string>()
  for (const url of PAGES.map(urlOf)) {
    const { status, text, headers } = await server.call('GET', url)
    assert.equal(status, 200, url)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'.*trusted-types 'none'/)
    assert.ok(!/https?:|\*|unsafe/.test(policy))
    assert.ok(!/<script>|<style|\sstyle=|\son\w+=/.test(text), url)
    assert.equal(text.match(/<h1\b/g)?.length, 1, url)
    for (const mark of [
      /<main /,
      /<nav /,
      /<html lang="en">/,
      /name="description" content="[^"]{20}/,
    ]) {
      assert.match(text, mark, url)
    }
    titles.add(/<title>([^<]+)<\/title>/.exec(text)?.[1] ?? '')
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    assert.deepEqual(ids, [...new Set(ids)], url)
  }
  assert.equal(titles.size, PAGES.length)
})

test('every page is Markdown at its address plus .md, whose links lead somewhere, and llms.txt lists them', async () => {
  const list = await server.call('GET', '/llms.txt')
  assert.equal(list.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.match(list.text, /^# Tradepost\n\n> One API key /)
  const whole = await server.call('GET', '/llms-full.txt')
  const targets = new Set<string>()
  for (const entry of PAGES) {
    const url = markdownUrlOf(entry)
    assert.ok(list.text.includes(`](${url}): `), url)
    const { status, text, headers } = await server.call('GET', url)
    assert.equal(status, 200, url)
    assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8')
    assert.match(text, /^# /, url)
    assert.ok(!text.includes('<!-- prints'), url)
    assert.ok(whole.text.includes(text), url)
    for (const [, target = ''] of text.matchAll(/\]\((\/[^)#]*)/g)) targets.add(target)
  }
  assert.ok(targets.size > 20)
  for (const target of targets) {
    assert.equal((await server.call('GET', target)).status, 200, target)
  }
})

test('links of Markdown outside of code lead to the site, and to a file that it does not show are words', () => {
  const text =
    '# T\n\n<!-- prints: /x/ -->\n\n[a](b.md#c) [d](e.md)\n\n```sh not-run\n[a](b.md)\n```\n'
  assert.equal(
    plainMarkdown(text, (target) => (target === 'b.md#c' ? '/docs/b#c' : null)),
    '# T\n\n[a](/docs/b#c) d\n\n```sh\n[a](b.md)\n```\n',
  )
})

test('whole programs one after the other are tabs, of which the first is shown, and a single one is none', () => {
  const program = (language: string): string => `\`\`\`${language} run\n1\n\`\`\`\n`
  const { html } = renderMarkdown(`# T\n\n${program('python')}\n${program('php')}`, () => null)
  assert.equal(html.match(/<div class="tabs"/g)?.length, 1)
  assert.deepEqual(
    [...html.matchAll(/id="(tab-1-\w+)"( checked)?/g)].map(([, id, isShown]) => [id, !!isShown]),
    [
      ['tab-1-python', true],
      ['tab-1-php', false],
    ],
  )
  assert.doesNotMatch(renderMarkdown(`# T\n\n${program('go')}`, () => null).html, /tabs/)
})

test('every link of the dashboard into the documentation leads to a page, its anchor included', async () => {
  const folder = join(ROOT, 'apps/dashboard/src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const links = files
    .filter((name) => name.endsWith('.tsx'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .flatMap((text) => [...text.matchAll(/"(\/docs[^"]*)"/g)].map(([, url = '']) => url))
  assert.ok(links.length >= 4, links.join())
  for (const link of links) {
    const [url = '', anchor] = link.split('#')
    const { status, text } = await server.call('GET', url)
    assert.equal(status, 200, link)
    assert.ok(anchor === undefined || text.includes(` id="${anchor}"`), link)
  }
})

test('every link and every file of every page leads somewhere, its anchor included', async () => {
  const texts = new Map<string, string>()
  const read = async (url: string): Promise<string> => {
    const known = texts.get(url)
    if (known !== undefined) return known
    const { status, text } = await server.call('GET', url)
    assert.equal(status, 200, url)
    texts.set(url, text)
    return text
  }
  let anchors = 0
  for (const page of PAGES.map(urlOf)) {
    const links = [...(await read(page)).matchAll(/(?:href|src)="([^"]+)"/g)]
    for (const [, target = ''] of links) {
      if (/^(data:,|http:\/\/127\.0\.0\.1:300[01]\/)/.test(target)) continue
      // The pages of the dashboard are not served here.
      if (target === '/dashboard') continue
      assert.match(target, /^[/#]/, `${page} leads away to ${target}`)
      const [path = '', anchor = ''] = target.split('#')
      const text = await read(path === '' ? page : path)
      if (anchor === '' || path === '/docs/reference') continue
      anchors += 1
      assert.ok(text.includes(` id="${anchor}"`), `${page}: ${target}`)
    }
  }
  assert.ok(anchors > 50)
})

test('every key of the catalogue has its anchor, and what to do stands below it', async () => {
  const { text } = await server.call('GET', '/docs/errors')
  for (const [key, { action }] of Object.entries(ERRORS)) {
    const [, section = ''] = text.split(` id="${key}"`)
    assert.ok(section.includes('What to do:'), key)
    const words = action.split('`')[0]?.slice(0, 20) ?? ''
    assert.ok(section.split('<h3')[0]?.includes(words.replaceAll("'", '&#39;')), key)
  }
})

test('a diagram of states shows every step as a line between two boxes', async () => {
  const { text } = await server.call('GET', '/docs/states')
  const said = /aria-label="Steps: ([^"]+)"/.exec(text)?.[1]?.split(', ') ?? []
  const steps = Object.entries(TRANSITIONS.buy).flatMap(([from, ways]) =>
    Object.keys(ways).map((to) => `${from} to ${to}`),
  )
  assert.deepEqual(said.toSorted(), steps.toSorted())
  assert.equal(text.match(/class="edge"/g)?.length, steps.length)
  for (const status of STATUSES) assert.ok(text.includes(`text-anchor="middle">${status}</text>`))
  assert.ok(!text.includes('stateDiagram'))
})

test('a drawing is of a diagram that a page shows, with a line for each of its steps', async () => {
  const { pages } = await renderSite([])
  for (const name of readdirSync(DRAWINGS)) {
    const [, lines = ''] = readFileSync(join(DRAWINGS, name), 'utf8').split('</metadata>\n')
    const page = Object.values(pages).find((html) => html.includes(lines))
    const said = /aria-label="Steps: ([^"]+)"/.exec(page ?? '')?.[1]?.split(', ')
    assert.equal(said?.length, lines.match(/class="edge"/g)?.length, name)
  }
})

test('a diagram that no file draws is refused', () => {
  assert.throws(() => drawingOf('stateDiagram-v2\n  a --> b\n'), /no file in docs\/diagrams draws/)
})

test('the search index knows pages, headings and routes', async () => {
  const { text } = await server.call('GET', '/docs/search.json')
  const entries = JSON.parse(text) as { url: string; title: string; words: string }[]
  const urls = new Set(entries.map(({ url }) => url))
  assert.ok(urls.has('/docs/webhooks') && urls.has('/docs/errors#RATE_LIMITED'))
  assert.equal(urls.size, entries.length)
  assert.ok(text.length < 250_000, 'small enough to be read whole')
})

test('what a page leads to beside pages can be had: vectors and a verifier', async () => {
  const vectors = await server.call('GET', '/docs/files/webhook-signatures.json')
  assert.ok(JSON.parse(vectors.text))
  assert.match((await server.call('GET', '/docs/files/verify.py')).text, /def /)
  assert.equal((await server.call('GET', '/docs/files/..%2fpackage.json')).status, 404)
  assert.equal((await server.call('GET', '/docs/no-such-page')).status, 404)
})

test('an address that no page has is a page for a browser, and the envelope for other clients', async () => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  for (const path of ['/docs/no-such-page', '/docs/webhooks/', '/docs/%3Cscript%3E?c=<script>']) {
    const page = await server.call('GET', path, { headers: { accept } })
    assert.equal(page.status, 404, path)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.match(page.text, /<h1>Not found<\/h1>/)
    for (const target of ['/docs', '/docs/reference', '#search']) {
      assert.ok(page.text.includes(`<a href="${target}">`), `${path}: ${target}`)
    }
    assert.ok(page.text.includes(' id="search"') && !page.text.includes('<script>'))
    assert.ok(page.text.includes(`<code>${path.split('?')[0]}</code>`), 'what was asked for')
    for (const other of ['application/json', '*/*']) {
      const answer = await server.call('GET', path, { headers: { accept: other } })
      assert.deepEqual([answer.status, answer.json.error?.key], [404, 'NOT_FOUND'], path)
    }
  }
  const posted = await server.call('POST', '/docs/no-such-page', { headers: { accept } })
  assert.deepEqual([posted.status, posted.json.error?.key], [404, 'NOT_FOUND'])
})

test('a runbook is there for those to whom it may be shown, and every link of it leads somewhere', async () => {
  const own = await startTestServer({
    docs: {
      documents: { merchant: () => ({ openapi: '3.1.0' }) },
      mayReadRunbooks: async ({ headers }) => headers.cookie === 'operator',
    },
  })
  try {
    const read = (path: string, cookie: string) =>
      own.call('GET', path, { headers: { accept: 'text/html', cookie } })
    const links = new Set<string>()
    const names = readdirSync(join(ROOT, 'docs/runbooks')).map((name) => name.slice(0, -3))
    for (const name of names) {
      const path = name === 'README' ? '/docs/runbooks' : `/docs/runbooks/${name}`
      const page = await read(path, 'operator')
      assert.deepEqual([page.status, page.headers.get('cache-control')], [200, 'private, no-store'])
      assert.match(page.headers.get('content-security-policy') ?? '', /trusted-types 'none'/)
      assert.doesNotMatch(page.text, /This page as Markdown/)
      for (const [, link = ''] of page.text.matchAll(/href="(\/docs\/runbooks[^"]*)"/g)) {
        links.add(link)
      }
      const strange = await read(path, 'merchant')
      assert.deepEqual([strange.status, strange.text.includes('Not found')], [404, true], path)
    }
    assert.ok(links.size >= names.length - 1, 'the first one leads to all others')
    for (const link of links) {
      const [path = '', anchor] = link.split('#')
      const { status, text } = await read(path, 'operator')
      assert.equal(status, 200, link)
      assert.ok(anchor === undefined || text.includes(` id="${anchor}"`), link)
    }
    for (const kind of Object.keys(CASE_KINDS)) {
      const [path = '', anchor] = runbookOf(kind).replace('.md', '').split('#')
      const { text } = await read(`/${path}`, 'operator')
      assert.ok(text.includes(` id="${anchor}"`), kind)
    }
    assert.equal((await read('/docs/runbooks/none', 'operator')).status, 404)
  } finally {
    await own.close()
  }
  const { text } = await server.call('GET', '/docs/search.json')
  assert.ok(!text.includes('/docs/runbooks'), 'no search finds them')
  assert.equal((await server.call('GET', '/docs/runbooks')).status, 404)
})

test('the viewer starts on our document, and would never evaluate text or start workers', async () => {
  const start = await server.call('GET', '/docs/start.js')
  assert.match(start.text, /^Scalar\.createApiReference\('#app', /)
  assert.match(start.text, /"\/openapi\/merchant\.json"/)
  const viewer = await server.call('GET', '/docs/viewer.js')
  assert.match(viewer.text, /createApiReference/)
  // The page's policy forbids these; a new version of the viewer that needs one must be noticed.
  assert.ok(!/\bnew Function\(|\beval\(|new Worker\(/.test(viewer.text))
})

test('a folder is one file, the same bytes each time, in which it is a folder again', async () => {
  const answer = await fetch(`${server.url}/docs/bruno/merchant.zip`)
  assert.equal(answer.headers.get('content-type'), 'application/zip')
  const bytes = Buffer.from(await answer.arrayBuffer())
  const folder = join(ROOT, 'docs/bruno/merchant')
  assert.ok(bytes.equals(await zipped(folder)))
  const files = unzipSync(bytes)
  const names = globSync('**/*.*', { cwd: folder }).map((name) => `tradepost-merchant/${name}`)
  assert.deepEqual(Object.keys(files), names.sort())
  const path = 'Market/buy.bru'
  const inside = files[`tradepost-merchant/${path}`] ?? new Uint8Array()
  assert.equal(strFromU8(inside), readFileSync(join(folder, path), 'utf8'))
})

test('large answers travel compressed', async () => {
  const response = await fetch(`${server.url}/docs/viewer.js`, {
    headers: { 'accept-encoding': 'identity' },
  })
  assert.equal(response.headers.get('content-encoding'), null)
  const plain = Buffer.from(await response.arrayBuffer())
  const zipped = await new Promise<Buffer>((resolve, reject) => {
    const req = request(
      `${server.url}/docs/viewer.js`,
      { headers: { 'accept-encoding': 'gzip' } },
      (res) => {
        assert.equal(res.headers['content-encoding'], 'gzip')
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('end', () => resolve(Buffer.concat(chunks)))
      },
    )
    req.on('error', reject)
    req.end()
  })
  assert.ok(zipped.length < plain.length / 2)
  assert.ok(gunzipSync(zipped).equals(plain))
})
