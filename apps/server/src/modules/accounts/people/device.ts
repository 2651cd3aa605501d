// Browsers in which a person has logged in before, known by a signed cookie: what attackers guess does not
// slow them down.
import { newId } from '#kernel/id'
import type { PeopleDeps } from './deps.ts'
import { DAY_MS } from './person.ts'

const PURPOSE = 'known device'
export const DEVICE_DAYS = 180

/** `<person>.<device>.<seconds since 1970>.<signature>`. Alone it logs in to nothing. */
export function newDevice(
  { secrets, clock }: Pick<PeopleDeps, 'secrets' | 'clock'>,
  personId: string,
): string {
  const nowMs = clock.now().getTime()
  const text = `${personId}.${newId(nowMs)}.${Math.floor(nowMs / 1000)}`
  return `${text}.${secrets.sign(text, PURPOSE)}`
}

/** The id of the device; null for a cookie that is made up, another person's, or older than 180 days. */
export function knownDevice(
  { secrets, clock }: Pick<PeopleDeps, 'secrets' | 'clock'>,
  personId: string,
  cookie: string | null,
): string | null {
  const [, text = '', signature = ''] = /^([\w-]+\.[\w-]+\.\d+)\.(.+)$/.exec(cookie ?? '') ?? []
  if (text === '' || !secrets.isSigned(text, signature, PURPOSE)) return null
  const [person, device = null, seconds] = text.split('.')
  const ageMs = clock.now().getTime() - Number(seconds) * 1000
  return person === personId && ageMs < DEVICE_DAYS * DAY_MS ? device : null
}
