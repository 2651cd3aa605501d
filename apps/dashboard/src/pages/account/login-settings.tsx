import { Page } from '../../kit/page.tsx'
import { useWaiting } from '../../kit/use-waiting.ts'
import { Waiting } from '../../kit/waiting.tsx'
import { chatLinkQuery, passkeysQuery, sessionsQuery } from '../../queries/account.ts'
import { texts } from '../../texts/texts.ts'
import { ChatAccount } from './login/chat-account.tsx'
import { DeleteLogin } from './login/delete-login.tsx'
import { EmailAddress } from './login/email-address.tsx'
import { Passkeys } from './login/passkeys.tsx'
import { Password } from './login/password.tsx'
import { SecondFactor } from './login/second-factor.tsx'
import { Sessions } from './login/sessions.tsx'

/** A person's own login. */
export function LoginSettingsPage() {
  const isWaiting = useWaiting(sessionsQuery, passkeysQuery, chatLinkQuery)
  return (
    <Page title={texts.login.title}>
      {isWaiting ? (
        <Waiting rows={12} />
      ) : (
        <>
          <Sessions />
          <Passkeys />
          <SecondFactor />
          <Password />
          <EmailAddress />
          <ChatAccount />
          <DeleteLogin />
        </>
      )}
    </Page>
  )
}
