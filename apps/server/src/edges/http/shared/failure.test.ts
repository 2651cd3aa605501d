import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERRORS, type ErrorKey } from '@tradepost/contract'
import pg from 'pg'
import { BusyError } from '#infra/database/tenant-shares'
import { Refusal, type refuse } from '#kernel/refusal'
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

test('a key outside the catalogue does not compile', () => {
  type Takes<Text> = Text extends Parameters<typeof refuse>[0] ? true : false
  // If one of them took another type than it is given here, the types of this file would not compile.
  const known: Takes<'TRADE_NOT_FOUND'> = true
  const misspelt: Takes<'TRADE_NOT_FUOND'> = false
  const anyText: Takes<string> = false
  const constructed: ConstructorParameters<typeof Refusal>[0] extends ErrorKey ? true : false = true
  assert.deepEqual([known, misspelt, anyText, constructed], [true, false, false, true])
})

test('a wait among the details becomes whole seconds, at least one', () => {
  const wait = (retryAfterSeconds: number) =>
    failureOf(new Refusal('RATE_LIMITED', { retryAfterSeconds })).retryAfterSeconds
  assert.equal(wait(0.2), 1)
  assert.equal(wait(12.1), 13)
})

const databaseError = (code: string) => {
  const error = new pg.DatabaseError('secret sql', 1, 'error')
  error.code = code
  return error
}

test('a database that is away is to be retried, and nothing is promised', () => {
  const errors = [
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
    ...['EHOSTUNREACH', 'ENOTFOUND', 'ERR_STREAM_DESTROYED'].map((code) =>
      Object.assign(new Error('secret place'), { code }),
    ),
    new Error('Connection terminated unexpectedly'),
    new Error('Client was closed and is not queryable'),
    new Error('timeout expired'),
    ...['57P01', '08006'].map(databaseError),
  ]
  for (const error of errors) {
    const failure = failureOf(error)
    assert.equal(failure.key, 'INTERNAL_ERROR')
    assert.equal(failure.retryAfterSeconds, 1)
    assert.equal(failure.fault, 'database')
    assert.ok(!JSON.stringify(failure).includes(error.message))
  }
})

test('a database that is too busy is 503, to be retried after a pause', () => {
  const errors = [
    new BusyError(),
    new Error('timeout exceeded when trying to connect'),
    ...['57014', '53300', '40001', '40P01', '55P03'].map(databaseError),
  ]
  for (const error of errors) {
    const failure = failureOf(error)
    assert.equal(failure.status, 503)
    assert.equal(failure.key, 'SERVICE_DISABLED')
    assert.equal(failure.retryAfterSeconds, 1)
    assert.equal(failure.fault, 'busy')
    assert.ok(!JSON.stringify(failure).includes(error.message))
  }
})

test('anything else that is thrown says nothing about itself', () => {
  for (const error of [new Error('select secret'), 'text', null, undefined, { key: 'NOT_FOUND' }]) {
    assert.deepEqual(failureOf(error), { status: 500, key: 'INTERNAL_ERROR', fault: 'bug' })
  }
})

test('every 503 says when to come back, also without a wait among its details', () => {
  for (const key of Object.keys(ERRORS) as ErrorKey[]) {
    if (ERRORS[key].status !== 503) continue
    assert.ok((failureOf(new Refusal(key)).retryAfterSeconds ?? 0) >= 1, key)
    assert.equal(failureOf(new Refusal(key, { retryAfterSeconds: 3 })).retryAfterSeconds, 3)
  }
})
