// The allowlist of a key, as a person types it, in the form that is stored.
import { isIP } from 'node:net'
import { refuseField } from '../shared/failure.ts'

/**
 * CIDR networks, each without bits behind its prefix. Refuses VALIDATION_FAILED for an entry that is
 * none.
 */
export const readAllowlist = (entries: readonly string[]): readonly string[] =>
  entries.map((entry, i) => networkOf(entry) ?? refuse(i))

const refuse = (i: number): never =>
  refuseField({
    in: 'body',
    pointer: `/allowlist/${i}`,
    rule: 'network',
    message: 'must be an address such as 203.0.113.7 or a network such as 203.0.113.0/24',
  })

function networkOf(entry: string): string | null {
  const [address = '', prefix, ...rest] = entry.split('/')
  const bits = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : 0
  if (bits === 0 || rest.length > 0) return null
  const length = prefix === undefined ? bits : Number(prefix)
  if (!/^\d{1,3}$/.test(prefix ?? '0') || length > bits) return null
  return `${address}/${length}`
}
