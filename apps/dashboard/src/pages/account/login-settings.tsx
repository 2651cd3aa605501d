import { Page } from '../../kit/page.tsx'
import { texts } from '../../texts/en.ts'
import { ChatAccount } from './login/chat-account.tsx'
import { DeleteLogin } from './login/delete-login.tsx'
import { EmailAddress } from './login/email-address.tsx'
import { Passkeys } from './login/passkeys.tsx'
import { Password } from './login/password.tsx'
import { SecondFactor } from './login/second-factor.tsx'
import { Sessions } from './login/sessions.tsx'

/** A person's own login. */
export const LoginSettingsPage = () => (
  <Page title={texts.login.title}>
    <Sessions />
    <Passkeys />
    <SecondFactor />
    <Password />
    <EmailAddress />
    <ChatAccount />
    <DeleteLogin />
  </Page>
)
