import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTradePage } from './trade-page.ts'

const page = (changes: Record<string, string> = {}, extra = ''): string => {
  const values: Record<string, string> = {
    g_rgPartnerAppContextData: '{"730":{"appid":730,"rgContexts":{"2":{"id":"2"}}}}',
    g_strTradePartnerPersonaName: '"Anna \\"the\\" Fox; <b>\\u2605"',
    g_bTradePartnerProbation: 'false',
    g_daysMyEscrow: '0',
    g_daysTheirEscrow: '3',
    ...changes,
  }
  const script = Object.entries(values)
    .map(([name, value]) => `\tvar ${name} = ${value};`)
    .join('\r\n')
  return `<html><body><img src="https://x.example/other.jpg" data-miniprofile="70">
    <img alt="a" data-miniprofile="7" src="https://x.example/a.jpg?x=1&amp;y=2">${extra}
    <script type="text/javascript">\r\n${script}\r\n</script></body></html>`
}
const read = (html: string) => readTradePage(html, { partner: 7, appId: '730' })

test('the page of an offer says who the partner is', () => {
  assert.deepEqual(read(page()), {
    kind: 'offer',
    personaName: 'Anna "the" Fox; <b>★',
    avatarUrl: 'https://x.example/a.jpg?x=1&y=2',
    holdDays: 3,
    ownHoldDays: 0,
    probation: false,
    showsInventory: true,
  })
})

test('probation and hold are read', () => {
  const read1 = read(page({ g_bTradePartnerProbation: 'true', g_daysTheirEscrow: '15' }))
  assert.deepEqual(read1.kind === 'offer' && [read1.probation, read1.holdDays], [true, 15])
})

test('a hold of both is the partner’s, and a hold of our own account is not', () => {
  const holds = (changes: Record<string, string>) => {
    const answer = read(page({ g_daysTheirEscrow: '0', ...changes }))
    return answer.kind === 'offer' && [answer.holdDays, answer.ownHoldDays]
  }
  assert.deepEqual(holds({ g_daysBothEscrow: '15' }), [15, 0])
  assert.deepEqual(holds({ g_daysMyEscrow: '7', g_daysBothEscrow: '7' }), [0, 7])
  assert.deepEqual(holds({ g_daysMyEscrow: '"7"', g_daysBothEscrow: '-1' }), [0, 0])
})

test('a partner without items of the game shows no inventory', () => {
  for (const contexts of ['[]', '{}', '{"440":{}}', 'false', '{broken']) {
    const answer = read(page({ g_rgPartnerAppContextData: contexts }))
    assert.equal(answer.kind === 'offer' && answer.showsInventory, false, contexts)
  }
})

const error = (text: string): string =>
  `<html><h2>Error</h2><div id="error_msg">\n\t${text}\n</div></html>`

for (const [text, reason] of [
  ['This Trade URL is no longer valid for sending a trade offer to Anna.', 'url_invalid'],
  [
    'Anna has a private inventory: its privacy settings do not allow trade offers.',
    'inventory_private',
  ],
  [
    'Anna is not available to trade. More information will be shown to Anna if they invite you to trade.',
    'target_cannot_trade',
  ],
  ['You cannot trade with Anna because they have a trade ban.', 'trade_ban'],
] as const) {
  test(`refused: ${text.slice(0, 60)}`, () => {
    assert.deepEqual(read(error(text)), { kind: 'refused', reason, detail: text })
  })
}

for (const text of [
  'There was an error processing your request. Please try again later. (20)',
  'We were unable to contact the game’s item server.',
  'You must be logged in to view this page.',
  'You&#039;ve made too many requests recently.',
  'You have logged in from a new device.',
  'A sentence that no table knows.',
]) {
  test(`no refusal of the URL: ${text.slice(0, 60)}`, () => {
    assert.equal(read(error(text)).kind, 'unreadable')
  })
}

test('markup and entities in an error are taken out', () => {
  const answer = read(error('This Trade&nbsp;URL is <b>no longer</b> valid &amp; &#39;gone&#39;.'))
  assert.equal(
    answer.kind === 'refused' && answer.detail,
    "This Trade URL is no longer valid & 'gone'.",
  )
})

test('a page that lacks a field is no offer page', () => {
  for (const changes of [
    { g_strTradePartnerPersonaName: 'undefined' },
    { g_strTradePartnerPersonaName: '""' },
    { g_bTradePartnerProbation: '"no"' },
    { g_daysTheirEscrow: '-1' },
    { g_daysTheirEscrow: 'g_daysMyEscrow' },
  ]) {
    assert.equal(read(page(changes)).kind, 'unreadable', JSON.stringify(changes))
  }
  for (const html of ['', '<html>login</html>', '{}']) assert.equal(read(html).kind, 'unreadable')
})

test('a script in the page is never run, and a hostile name stays a name', () => {
  const answer = read(page({ g_strTradePartnerPersonaName: '"\\u202eevil\\u0000\\u0007name"' }))
  assert.equal(answer.kind === 'offer' && answer.personaName, 'evilname')
  const attack = read(page({ g_strTradePartnerPersonaName: 'process.exit()' }))
  assert.equal(attack.kind, 'unreadable')
})

test('an avatar that is no address is left out', () => {
  const html = page().replace('https://x.example/a.jpg?x=1&amp;y=2', 'javascript:alert(1)')
  const answer = read(html)
  assert.equal(answer.kind === 'offer' && answer.avatarUrl, '')
})

test('a huge page of nonsense is read quickly', () => {
  const startedAt = process.hrtime.bigint()
  for (const piece of [
    '<img ',
    'g_strTradePartnerPersonaName = "',
    '<div id="error_msg">',
    '&#1;',
  ]) {
    read(piece.repeat(100_000))
  }
  assert.ok(process.hrtime.bigint() - startedAt < 5_000_000_000n)
})
