import { ControlFault, readBody } from '../control/body.ts'
import type { Party, PartyContext } from '../party/party.ts'
import { ConfigFault, textSetting } from '../settings.ts'

/** Where the service receives notices; null while that is not known. */
export type NoticeAddress = () => string | null

/**
 * The address of the service, as its operator would enter it at each provider. `SANDBOX_NOTICE_URL` sets it
 * at the start, `PUT /control/notices` later; the last of the two that was given survives a restart.
 */
export function createNoticeAddress({ store, environment }: PartyContext): {
  readonly party: Party
  readonly address: NoticeAddress
} {
  const given = textSetting(environment, 'SANDBOX_NOTICE_URL', '')
  if (given !== '' && !isHttpUrl(given)) {
    throw new ConfigFault('SANDBOX_NOTICE_URL must be an http or https URL.')
  }
  const write = (url: string): void => store.writeSetting('notice-url', url)
  let current = given === '' ? store.readSetting('notice-url') : withoutSlash(given)
  if (current !== null) write(current)
  return {
    address: () => current,
    party: {
      protocols: [],
      controls(app) {
        /** `url` of the service, which receives notices below `/inbound` */
        app.put('/notices', (request) => {
          const { url } = readBody(request.body, ['url'])
          if (!isHttpUrl(url)) throw new ControlFault(400, 'url must be an http or https URL.')
          current = withoutSlash(url)
          write(current)
          return { url: current }
        })
      },
      state: () => ({ notices: { url: current } }),
    },
  }
}

const isHttpUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')
