import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ERRORS, type ErrorKey } from '@tradepost/contract'
import pg from 'pg'
import { Refusal } from '#kernel/refusal'
import { failureOf } from './failure.ts'

test('every key of the catalogue is answered with its own status', () => {
  for (const key of Object.keys(ERRORS) as ErrorKey[]) {
    const failure = failureOf(new Refusal(key, { fact: 1 }))
    assert.equal(failure.status, ERRORS[key].status)
    assert.equal(failure.key, key)
    assert.deepEqual(failure.meta, { fact: 1 })
    assert.equal(failure.fault, undefined)
  }
})

test('a refusal with a key that the catalogue does not know is a bug of ours', () => {
  for (const key of ['NO_SUCH_KEY', 'toString', '__proto__']) {
    const failure = failureOf(new Refusal(key))
    assert.equal(failure.key, 'INTERNAL_ERROR')
    assert.equal(failure.fault, 'bug')
    assert.equal(failure.meta, undefined)
  }
})

test('no module refuses with a key outside the catalogue', () => {
  const root = join(import.meta.dirname, '..', '..')
  const unknown: string[] = []
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts')) continue
    const text = readFileSync(join(root, path), 'utf8')
    for (const [, key = ''] of text.matchAll(
      /(?:refuse|Refusal(?:<\w+>)?)\(\s*'([A-Z][A-Z0-9_]+)'/g,
    )) {
      if (!Object.hasOwn(ERRORS, key)) unknown.push(`${path}: ${key}`)
    }
  }
  assert.deepEqual(unknown, [])
})

test('a wait among the facts becomes whole seconds, at least one', () => {
  const wait = (retryAfterSeconds: number) =>
    failureOf(new Refusal('RATE_LIMITED', { retryAfterSeconds })).retryAfterSeconds
  assert.equal(wait(0.2), 1)
  assert.equal(wait(12.1), 13)
})

test('a database that is away or overloaded is to be retried, and nothing is promised', () => {
  const databaseError = (code: string) => {
    const error = new pg.DatabaseError('secret sql', 1, 'error')
    error.code = code
    return error
  }
  const errors = [
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    ...['57P01', '08006', '57014', '53300', '40001', '55P03'].map(databaseError),
  ]
  for (const error of errors) {
    const failure = failureOf(error)
    assert.equal(failure.key, 'INTERNAL_ERROR')
    assert.equal(failure.retryAfterSeconds, 1)
    assert.equal(failure.fault, 'database')
    assert.ok(!JSON.stringify(failure).includes(error.message))
  }
})

test('anything else that is thrown says nothing about itself', () => {
  for (const error of [new Error('select secret'), 'text', null, undefined, { key: 'NOT_FOUND' }]) {
    assert.deepEqual(failureOf(error), { status: 500, key: 'INTERNAL_ERROR', fault: 'bug' })
  }
})
