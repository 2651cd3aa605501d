// An entry of the audit log: an act of a person, what it was about, and what was asked for.
import type { ActName } from '#kernel/act-name'

export type ActorKind = 'operator' | 'administrator' | 'member'

export interface Actor {
  readonly kind: ActorKind
  /** An operator's name on the operating system; the id of a person. */
  readonly id: string
  /** Where the request came from, without secrets: a host, or an address and a request id. */
  readonly request: Readonly<Record<string, string>>
  /** The account that a member acts for: all of a member's acts are in its log. */
  readonly accountId?: string
  /** What a person’s act needs, and as a member of which account: read again in the commit of the act. */
  readonly right?: { readonly accountId: string; readonly capability: string }
}

/** What an act changed, field by field. Never a secret. */
export type Changes = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>

export interface Act {
  readonly actor: Actor
  /** `<module>.<verb>`, such as `trading.pause`. */
  readonly act: ActName
  /** A null id: there is one subject of this type only. */
  readonly subject: { readonly type: string; readonly id: string | null }
  /** What was asked for and why. Never a secret; money and other bigints are kept as text. */
  readonly details: Readonly<Record<string, unknown>>
  /**
   * Whose log it is in, where neither the actor nor the subject says so. The people of that account read it:
   * leave it out of what is private.
   */
  readonly accountId?: string
  readonly changes?: Changes
  readonly at: Date
}

export interface AuditEntry extends Omit<Act, 'act' | 'accountId'> {
  readonly id: bigint
  /** Also one that an earlier release recorded. */
  readonly act: string
  readonly accountId: string | null
  readonly changes: Changes
}

/** The fields that differ between what was and what is asked for; what is asked for may leave fields out. */
export const changesOf = (
  was: Readonly<Record<string, unknown>>,
  asked: Readonly<Record<string, unknown>>,
): Changes =>
  Object.fromEntries(
    Object.entries(asked)
      .filter(([name, to]) => to !== undefined && JSON.stringify(was[name]) !== JSON.stringify(to))
      .map(([name, to]) => [name, { from: was[name] ?? null, to }]),
  )
