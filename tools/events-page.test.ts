import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { webhookEvents } from '@tradepost/contract'

const ROOT = join(import.meta.dirname, '..')

test('the guide to webhooks explains every event, and only events that exist', () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/webhooks.md'), 'utf8')
  const named = guide
    .split('\n')
    .filter((line) => /^\| `[a-z._]+`/.test(line))
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([a-z._]+)`/g)])
    .map(([, type]) => type)
  assert.deepEqual(named.sort(), Object.keys(webhookEvents).sort())
})
