// Which texts are secret, for what is shown of an answer that may quote one.
import { Secret } from './setting-forms.ts'

/** Every secret among the values, however deep, and the parts of addresses by which they give access. */
export function secretsOf(value: unknown): readonly string[] {
  if (value instanceof Secret) return partsOf(value.reveal())
  if (typeof value === 'string') return URL.canParse(value) ? credentialsIn(new URL(value)) : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(secretsOf)
}

const partsOf = (secret: string): readonly string[] =>
  URL.canParse(secret) ? [secret, ...credentialsIn(new URL(secret))] : [secret]

/** Providers of nodes put a key into the path or the query. */
const KEY_LIKE = /^[\w-]{16,}$/

function credentialsIn({ username, password, pathname, searchParams }: URL): readonly string[] {
  const keys = [...pathname.split('/'), ...searchParams.values()].filter((part) =>
    KEY_LIKE.test(part),
  )
  return [...[username, password].map(decodeURIComponent).filter((part) => part !== ''), ...keys]
}

/** Shows `[secret]` in the place of each. */
export function concealer(secrets: readonly string[]): (text: string) => string {
  const spellings = new Set(
    secrets
      .filter((secret) => secret !== '')
      .flatMap((secret) => [secret, encodeURIComponent(secret)]),
  )
  const longestFirst = [...spellings].sort((one, other) => other.length - one.length)
  return (text) =>
    longestFirst.reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text)
}
