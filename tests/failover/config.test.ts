// The files that an operator takes, as the drill runs them.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { haproxyConfig, patroniConfig } from './config.ts'

const member = (i: number) => ({
  name: `db${i}`,
  postgresPort: 20_000 + i,
  restPort: 21_000 + i,
  data: `/tmp/drill/db${i}/data`,
  reached: { postgres: 24_000 + i, rest: 25_000 + i, etcd: 26_000 + i },
})
const PASSWORDS = { rest: 'rest-1', superuser: 'super-2', replication: 'repl-3' }

it('of a member name nothing but this machine, and keep what matters for money', () => {
  const settings = { bin: '/tmp/drill/bin', passwords: PASSWORDS, isAsync: false, canCut: false }
  const text = patroniConfig(member(2), settings)
  assert.doesNotMatch(text, /10\.0\.0\.|CHANGE-ME|\/etc\/tradepost|hostssl|mode: automatic/)
  for (const line of [
    'name: db2',
    'synchronous_mode: true',
    'synchronous_mode_strict: false',
    "synchronous_commit: 'on'",
    'primary_start_timeout: 0',
    'ttl: 20',
    ' listen: 127.0.0.1:20002',
    'connect_address: 127.0.0.1:24002',
    'etcd:\n  hosts: 127.0.0.1:26002\n  protocol: http\n',
  ])
    assert.ok(text.includes(line), line)
})

it('of the proxy lead to the members alone, and end sessions with a primary that is none any more', () => {
  const text = haproxyConfig([member(1), member(2)], { port: 23_000, replicaPort: 23_001 })
  assert.doesNotMatch(text, /10\.0\.0\.|check-ssl|:543\d/)
  assert.equal(text.match(/server db\d 127\.0\.0\.1:2400\d check port 2500\d$/gm)?.length, 4)
  assert.equal(text.match(/on-marked-down shutdown-sessions$/gm)?.length, 2)
})
