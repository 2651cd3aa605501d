// The SDK equals the contract. Most of it is proved by the compiler: a difference fails the type check.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import {
  ERROR_KEYS,
  ERRORS,
  errorEntry,
  type merchantRoutes,
  type ValidationMeta,
  type WebhookEnvelope,
  type ErrorKey as WireErrorKey,
  type WebhookEventType as WireEventType,
} from '@tradepost/contract'
import type { Static, TSchema } from 'typebox'
import { formatted } from '../tools/formatted.ts'
import { generatedFiles } from '../tools/generated-files.ts'
import type { ErrorMetas } from './errors.ts'
import type { ErrorKey } from './generated/error-keys.ts'
import type { WebhookEventOf, WebhookEventType } from './generated/events.ts'
import type { OperationId, Operations } from './generated/operations.ts'
import { VERSION } from './version.ts'

/** Compiles only when the one can be had for the other, both ways. */
type Same<One, Other> = [One, Other] extends [Other, One] ? true : false

type Routes = typeof merchantRoutes
type DataOf<Id extends keyof Routes> = Static<Routes[Id]['response']>
/** The names for which something else than `true` stands: none, when all is well. */
type Failing<Proofs> = {
  [Name in keyof Proofs]: Proofs[Name] extends true ? never : Name
}[keyof Proofs]

type SameData = { [Id in OperationId]: Same<Operations[Id]['data'], DataOf<Id>> }

type BodyOf<Id extends OperationId> = Operations[Id] extends { readonly body: infer Body }
  ? Body
  : undefined
type WireBodyOf<Id extends keyof Routes> = Routes[Id] extends {
  readonly body: infer Body extends TSchema
}
  ? Static<Body>
  : undefined
// What a caller may write, undefined fields apart, is what the service takes; the service's own type is
// wider only where JSON Schema says more than it: exactly one of two fields.
type Written<Value> = Value extends readonly (infer Item)[]
  ? Written<Item>[]
  : Value extends object
    ? { [Key in keyof Value]: Written<Exclude<Value[Key], undefined>> }
    : Value
type FitsBody = {
  [Id in OperationId]: Written<BodyOf<Id>> extends WireBodyOf<Id> ? true : false
}

type SameEvents = {
  [Type in WebhookEventType]: Same<WebhookEventOf<Type>['data'], WebhookEnvelope<Type>['data']>
}

it('the committed files are what the contract makes', () => {
  const files = generatedFiles()
  const committed = ['generated', 'partner/generated'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder)).map((name) => `${folder}/${name}`),
  )
  assert.deepEqual(committed.sort(), [...files.keys()].sort())
  for (const [name, content] of files) {
    const path = join(import.meta.dirname, name)
    assert.equal(
      readFileSync(path, 'utf8'),
      formatted(path, content),
      `${name} is stale: npm run generate -w @tradepost/sdk`,
    )
  }
})

it('answers, bodies, events and keys have the types of the contract', () => {
  type All = [
    Same<OperationId, keyof Routes>,
    Same<Failing<SameData>, never>,
    Same<Failing<FitsBody>, never>,
    Same<WebhookEventType, WireEventType>,
    Same<Failing<SameEvents>, never>,
    Same<ErrorKey, WireErrorKey>,
    Same<ErrorMetas['VALIDATION_FAILED'], ValidationMeta>,
  ]
  const proof: All = [true, true, true, true, true, true, true]
  assert.ok(proof.every(Boolean))
})

it('the details of an error have the names that the catalogue gives them', () => {
  const metas: { [Key in keyof ErrorMetas]: Record<keyof NonNullable<ErrorMetas[Key]>, true> } = {
    VALIDATION_FAILED: { errors: true, index: true },
    SERVICE_DISABLED: { reason: true, index: true },
    IDEMPOTENCY_CONFLICT: { index: true },
    USER_NOT_FOUND: { index: true },
    CRYPTO_PAYOUT_CHAIN_UNSUPPORTED: { index: true },
    RATE_LIMITED: {
      scope: true,
      policy: true,
      limit: true,
      windowSeconds: true,
      retryAfterSeconds: true,
    },
    TWO_FACTOR_REQUIRED: { challengeId: true, methods: true },
    TWO_FACTOR_FRESH_REQUIRED: { challengeId: true, methods: true },
    FORBIDDEN: { requiredScope: true },
    INSUFFICIENT_BALANCE: { requiredCents: true, availableCents: true },
    SPENDING_LIMIT_REACHED: {
      limit: true,
      limitCents: true,
      spentCents: true,
      resetsAt: true,
      requiredCents: true,
      limitTrades: true,
      openTrades: true,
    },
    DEPOSIT_AMOUNT_OUT_OF_RANGE: { minUsdCents: true, maxUsdCents: true, depositId: true },
    DEPOSIT_NOT_CANCELLABLE: { status: true, paymentSeen: true },
    DEPOSIT_CHAIN_UNSUPPORTED: { chains: true, depositId: true },
    QUOTE_INVALID: { depositId: true },
    GATEWAY_UNAVAILABLE: { depositId: true, reason: true },
    CRYPTO_PAYOUT_INSUFFICIENT_BALANCE: {
      chain: true,
      token: true,
      requiredCents: true,
      index: true,
    },
    CRYPTO_PAYOUT_DESTINATION_INVALID: { reason: true, index: true },
    CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE: {
      minUsdCents: true,
      maxUsdCents: true,
      reason: true,
      index: true,
    },
    PRICE_MISMATCH: { listingId: true, assetid: true, currentPrice: true },
  }
  const withMeta = ERROR_KEYS.filter((key) => errorEntry(key).meta !== undefined)
  assert.deepEqual(withMeta.toSorted(), Object.keys(metas).sort())
  for (const [key, fields] of Object.entries(metas)) {
    assert.deepEqual(Object.keys(fields), Object.keys(errorEntry(key as ErrorKey).meta ?? {}), key)
  }
  const { RATE_LIMITED, INSUFFICIENT_BALANCE, PRICE_MISMATCH } = ERRORS
  const examples: Pick<ErrorMetas, 'INSUFFICIENT_BALANCE' | 'PRICE_MISMATCH' | 'RATE_LIMITED'> = {
    RATE_LIMITED: RATE_LIMITED.metaExample,
    INSUFFICIENT_BALANCE: INSUFFICIENT_BALANCE.metaExample,
    PRICE_MISMATCH: PRICE_MISMATCH.metaExample,
  }
  assert.ok(examples)
})

it('the version is that of the package', () => {
  const text = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')
  assert.equal((JSON.parse(text) as { version: string }).version, VERSION)
})
