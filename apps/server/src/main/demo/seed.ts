// The demo data: named inhabitants with money and keys, made once. What it hands out is random, and is
// kept sealed in the database, so that the same installation shows the same keys at every start.
import { randomBytes } from 'node:crypto'
import {
  createAdmin,
  createChild,
  createMerchant,
  createPartner,
  createSubUser,
  issueKey,
  type KeyKind,
} from '#identity'
import type { Db, Queryable, Tx } from '#infra/database/db'
import { claimStoredValue, readStoredValue, writeStoredValue } from '#infra/database/stored-values'
import { CannotStart } from '#infra/process/cannot-start'
import type { Clock } from '#infra/process/clock'
import type { SecretBox } from '#infra/process/secrets'
import { assertDefined } from '#kernel/assert'
import { type Currency, cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { demoDeposit } from '#ledger'
import { addPerson, createPasswords, type Passwords } from '#people'
import { type DialectName, findEndpoint, newSecret, setEndpoint } from '#webhooks'
import { setDemoCallback } from './demo-callback.ts'

/** What `demo.json` says of the demo accounts. */
export interface DemoCredentials {
  readonly merchant: {
    readonly apiKey: string
    readonly email: string
    readonly password: string
    /** Null while the merchant has neither a webhook endpoint nor a callback URL. */
    readonly webhookSecret: string | null
  }
  readonly partner: {
    readonly apiKey: string
    readonly childApiKey: string
    readonly email: string
    readonly password: string
    /** Null while the partner has no webhook endpoint. */
    readonly webhookSecret: string | null
  }
  readonly admin: { readonly email: string; readonly password: string }
}

export interface SeedDeps {
  readonly db: Db
  readonly clock: Clock
  readonly secrets: SecretBox
  readonly webhooks: {
    readonly demoUrl: string | null
    readonly partnerDemoUrl?: string | null
    readonly allowPrivate: boolean
  }
  readonly payoutCallbackUrl?: string | null
}

interface DemoData extends DemoCredentials {
  readonly merchantId: string
  readonly partnerId: string
}

/** Makes the demo data unless it is there, and returns its credentials either way. */
export async function seedDemo(deps: SeedDeps): Promise<DemoCredentials> {
  const { merchantId, partnerId, ...credentials } = await findOrMakeDemo(deps)
  const { merchant, partner } = credentials
  const { demoUrl, partnerDemoUrl = null } = deps.webhooks
  await setDemoEndpoint(deps, {
    ...{ setting: 'WEBHOOK_URL', url: demoUrl, dialect: 'merchant' },
    ...{ tenantId: merchantId, secret: merchant.webhookSecret },
  })
  await setDemoEndpoint(deps, {
    ...{ setting: 'PARTNER_WEBHOOK_URL', url: partnerDemoUrl, dialect: 'partner' },
    ...{ tenantId: partnerId, secret: partner.webhookSecret },
  })
  await setDemoCallback(deps, merchantId, merchant.webhookSecret)
  return credentials
}

async function findOrMakeDemo({
  db,
  clock,
  secrets,
  webhooks,
  payoutCallbackUrl = null,
}: SeedDeps): Promise<DemoData> {
  const read = async (from: Queryable): Promise<DemoData | null> => {
    const stored = await readStoredValue<{ sealed: string }>(from, VALUE_NAME)
    return stored && openDemoData(stored.sealed, secrets)
  }
  const known = await read(db)
  if (known) return known
  // Slow by design, so made before any row is locked.
  const passwords = createPasswords()
  const [merchant, partner, admin] = await Promise.all([
    newPassword(passwords),
    newPassword(passwords),
    newPassword(passwords),
  ])
  const people = { merchant, partner, admin }
  return db.transaction(async (tx) => {
    // Of two first starts on one database the second waits here and finds what the first one made.
    if (!(await claimStoredValue(tx, VALUE_NAME)))
      return assertDefined(await read(tx), 'the demo data of another start')
    const secretFor = (url: string | null): string | null => (url === null ? null : newSecret())
    const credentials = await makeDemo(tx, {
      people,
      webhookSecret: secretFor(webhooks.demoUrl ?? payoutCallbackUrl),
      partnerWebhookSecret: secretFor(webhooks.partnerDemoUrl ?? null),
      at: clock.now(),
    })
    const sealed = secrets.seal(JSON.stringify(credentials), CONTEXT)
    await writeStoredValue(tx, VALUE_NAME, { sealed })
    return credentials
  })
}

function openDemoData(sealed: string, secrets: SecretBox): DemoData {
  try {
    return JSON.parse(secrets.open(sealed, CONTEXT)) as DemoData
  } catch {
    throw new CannotStart(
      'The demo data in this database were made under another SECRETS_KEY. Set that one, bring back ' +
        'the secrets.key of its DATA_DIR, or use another database.',
    )
  }
}

/** After the data are made, and again after a crash in between: it has its own transaction. */
async function setDemoEndpoint(
  { db, clock, secrets, webhooks: { allowPrivate } }: SeedDeps,
  { setting, url, dialect, tenantId, secret }: DemoEndpoint,
): Promise<void> {
  if (url === null || secret === null || (await findEndpoint(db, tenantId))) return
  try {
    await setEndpoint({ db, clock, secrets, allowPrivate }, { tenantId, url, dialect, secret })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new CannotStart(
      `${setting} ${url} is not allowed: an https address of the public internet is needed, or ` +
        'WEBHOOK_ALLOW_PRIVATE.',
    )
  }
}

interface DemoEndpoint {
  readonly setting: string
  readonly url: string | null
  readonly dialect: DialectName
  readonly tenantId: string
  readonly secret: string | null
}

const MERCHANT_EMAIL = 'merchant@demo.tradepost.example'
const PARTNER_EMAIL = 'partner@demo.tradepost.example'
const ADMIN_EMAIL = 'admin@demo.tradepost.example'

const SUB_USERS = [
  { externalId: 'alice', currency: 'USD', balanceCents: 2_500_00n },
  { externalId: 'bob', currency: 'USD', balanceCents: 40_00n },
  { externalId: 'clara', currency: 'EUR', balanceCents: 1_000_00n },
] as const

interface Password {
  readonly password: string
  readonly passwordHash: string
}

interface NewDemoData {
  readonly people: Readonly<Record<'merchant' | 'partner' | 'admin', Password>>
  readonly webhookSecret: string | null
  readonly partnerWebhookSecret: string | null
  readonly at: Date
}

async function makeDemo(
  tx: Tx,
  { people, webhookSecret, partnerWebhookSecret, at }: NewDemoData,
): Promise<DemoData> {
  const merchant = await createMerchant(tx, {
    email: MERCHANT_EMAIL,
    name: 'Northgate Skins',
    currency: 'USD',
    country: 'DE',
    tier: 'enterprise',
    fees: { feeBps: 300, buyFeeBps: 200, sellFeeBps: 200, childDefaultFeeBps: null },
    at,
  })
  await addPerson(tx, {
    ...{ email: MERCHANT_EMAIL, passwordHash: people.merchant.passwordHash, at },
    membership: { accountId: merchant.id, accountKind: 'merchant', role: 'owner' },
  })
  await give(tx, merchant.id, 'USD', 100_000_00n, at)
  for (const { externalId, currency, balanceCents } of SUB_USERS) {
    const { subUser } = await createSubUser(tx, {
      merchantId: merchant.id,
      currency,
      email: `${externalId}@demo.tradepost.example`,
      platformId: null,
      externalId,
      at,
    })
    await give(tx, subUser.id, currency, balanceCents, at)
  }

  const partner = await createPartner(tx, {
    email: PARTNER_EMAIL,
    name: 'Meridian Games',
    fees: { feeBps: 300, buyFeeBps: 200 },
    at,
  })
  await addPerson(tx, {
    ...{ email: PARTNER_EMAIL, passwordHash: people.partner.passwordHash, at },
    membership: { accountId: partner.id, accountKind: 'partner', role: 'owner' },
  })
  await give(tx, partner.id, 'USD', 50_000_00n, at)
  const { child, apiKey: childApiKey } = await createChild(tx, {
    partnerId: partner.id,
    email: 'shop@demo.tradepost.example',
    name: 'Meridian Shop',
    description: null,
    environment: 'test',
    at,
  })
  await give(tx, child.id, 'USD', 1_000_00n, at)
  const admin = await createAdmin(tx, {
    email: ADMIN_EMAIL,
    name: 'Demo administrator',
    at,
  })
  await addPerson(tx, {
    ...{ email: ADMIN_EMAIL, passwordHash: people.admin.passwordHash, at },
    membership: { accountId: admin.id, accountKind: 'admin', role: 'administrator' },
  })

  const key = async (accountId: string, kind: KeyKind, name: string): Promise<string> =>
    (await issueKey(tx, { accountId, kind, name, environment: 'test', at })).secret
  return {
    merchantId: merchant.id,
    partnerId: partner.id,
    merchant: {
      apiKey: await key(merchant.id, 'merchant', 'Demo key'),
      email: MERCHANT_EMAIL,
      password: people.merchant.password,
      webhookSecret,
    },
    partner: {
      apiKey: await key(partner.id, 'partner', 'Demo key'),
      childApiKey: assertDefined(childApiKey, 'the key of a new child'),
      email: PARTNER_EMAIL,
      password: people.partner.password,
      webhookSecret: partnerWebhookSecret,
    },
    admin: { email: ADMIN_EMAIL, password: people.admin.password },
  }
}

async function give(
  tx: Tx,
  ownerId: string,
  currency: Currency,
  amount: bigint,
  at: Date,
): Promise<void> {
  await demoDeposit(tx, { ownerId, currency, amount: cents(amount), at })
}

async function newPassword(passwords: Passwords): Promise<Password> {
  const password = randomBytes(15).toString('base64url')
  return { password, passwordHash: await passwords.hash(password, 'demo') }
}

const VALUE_NAME = 'demo'
const CONTEXT = 'demo data'
