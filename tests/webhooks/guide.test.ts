// The lines of the guide that verify Standard Webhooks in other languages, run where these are installed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newSecret } from '../../apps/server/src/modules/events/webhooks/index.ts'
import { dialects } from '../../apps/server/src/wire/webhook.ts'
import {
  verifySignature,
  WebhookSignatureError,
} from '../../packages/sdk/src/webhooks/signature.ts'
import { ROOT } from '../support/child.ts'

const guide = readFileSync(join(ROOT, 'docs/guides/webhooks.md'), 'utf8')
const linesOf = (language: string): string => {
  const [, lines] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide) ?? []
  assert.ok(lines, `the guide has no lines of ${language}`)
  return lines
}

const message = (body = '{"type":"trade.hold","text":"é 😀"}') => ({
  id: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d',
  timestampSeconds: Math.floor(Date.now() / 1000),
  body,
})
const [current, previous, other] = [
  newSecret('standard'),
  newSecret('standard'),
  newSecret('standard'),
]
const signed = (of = message(), secrets = { current, previous: null as string | null }) => ({
  headers: dialects.merchant.headers(of, secrets, 'standard'),
  body: of.body,
})
const rotating = signed(message(), { current, previous })
const CASES = [
  { name: 'a delivery', ...signed(), secret: current, isOurs: true },
  { name: 'one of a rotation, by the new secret', ...rotating, secret: current, isOurs: true },
  { name: 'one of a rotation, by the old secret', ...rotating, secret: previous, isOurs: true },
  { name: 'another secret', ...signed(), secret: other, isOurs: false },
  { name: 'another body', ...signed(), body: '{}', secret: current, isOurs: false },
  {
    name: 'one of an hour ago',
    ...signed({ ...message(), timestampSeconds: message().timestampSeconds - 3600 }),
    secret: current,
    isOurs: false,
  },
]

test('the published library of Standard Webhooks verifies what we sign, and refuses what we did not', () => {
  for (const { name, headers, body, secret, isOurs } of CASES) {
    const verify = () => new Webhook(secret).verify(body, headers)
    if (isOurs) assert.deepEqual(verify(), JSON.parse(body), name)
    else assert.throws(verify, name)
  }
})

test('the SDK gives the same verdicts, and knows a header that has not the form', async () => {
  const reasonOf = (delivery: Parameters<typeof verifySignature>[0], secret: string) =>
    verifySignature(delivery, { secret }).then(
      () => null,
      (error: unknown) => (error instanceof WebhookSignatureError ? error.reason : error),
    )
  for (const { name, headers, body, secret, isOurs } of CASES) {
    assert.equal((await reasonOf({ headers, body }, secret)) === null, isOurs, name)
  }
  const { headers, body } = signed()
  const signature = headers['webhook-signature'] ?? ''
  for (const [changed, reason] of [
    [`v2,x ${signature}`, 'malformed_header'],
    [`${signature} v1a,of-a-later-version`, null],
    [signature.replace(/=$/, ''), 'malformed_header'],
    ['v1,', 'malformed_header'],
    [Array(9).fill(signature).join(' '), 'malformed_header'],
    [signature.replace('v1,', 't=1,s='), 'malformed_header'],
  ] as const) {
    const delivery = { body, headers: { ...headers, 'webhook-signature': changed } }
    assert.equal(await reasonOf(delivery, current), reason, changed)
  }
})

test('a secret for Standard Webhooks is base64 of 32 bytes, as its libraries read it', () => {
  for (let i = 0; i < 100; i++) {
    const secret = newSecret('standard')
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  }
})

function runs(
  context: TestContext,
  command: string,
  args: readonly string[],
  program: string,
): void {
  const { stdout, stderr, error } = spawnSync(command, args, {
    input: program,
    encoding: 'utf8',
    env: { ...process.env, GO111MODULE: 'off' },
  })
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    context.skip(`${command} is not installed`)
    return
  }
  const verdicts = stdout.trim().split('\n')
  assert.deepEqual(
    verdicts,
    CASES.map(({ isOurs }) => String(isOurs)),
    stderr,
  )
}

const asJson = JSON.stringify(JSON.stringify(CASES.map(({ name: _, ...one }) => one)))

test('the lines of the guide for Python give the same verdicts', (context) => {
  const calls = `
import json
for one in json.loads(${asJson}):
    print(str(is_ours(one["headers"], one["body"].encode(), one["secret"])).lower())
`
  runs(context, 'python3', ['-'], linesOf('python') + calls)
})

test('the lines of the guide for PHP give the same verdicts', (context) => {
  const cases = Buffer.from(JSON.parse(asJson) as string).toString('base64')
  const calls = `
foreach (json_decode(base64_decode('${cases}'), true) as $one) {
    echo isOurs($one['headers'], $one['body'], $one['secret']) ? "true\\n" : "false\\n";
}
`
  runs(context, 'php', [], `<?php\n${linesOf('php')}${calls}`)
})

test('the lines of the guide for Go give the same verdicts', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-go-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'verify.go')
  const imports = [
    ...['crypto/hmac', 'crypto/sha256', 'encoding/base64', 'encoding/json', 'fmt', 'math'],
    ...['net/http', 'strconv', 'strings', 'time'],
  ]
  const calls = `
func main() {
	var cases []struct {
		Headers map[string]string
		Body, Secret string
	}
	if err := json.Unmarshal([]byte(${asJson}), &cases); err != nil {
		panic(err)
	}
	for _, one := range cases {
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		fmt.Println(isOurs(headers, []byte(one.Body), one.Secret))
	}
}
`
  writeFileSync(
    file,
    `package main\n\nimport (\n${imports.map((one) => `\t"${one}"\n`).join('')})\n\n${linesOf('go')}${calls}`,
  )
  runs(context, 'go', ['run', file], '')
})
