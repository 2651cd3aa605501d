// Our deposit ids at providers. The gateway accepts 32 characters, which a UUID without its dashes has.

const HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

export const toProviderId = (depositId: string): string =>
  depositId.replaceAll('-', '').toLowerCase()

/** Null for an id that is not one of ours. */
export function toDepositId(providerId: unknown): string | null {
  const match = typeof providerId === 'string' ? HEX.exec(providerId) : null
  return match === null ? null : match.slice(1).join('-')
}
