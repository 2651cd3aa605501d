import { useQuery } from '@tanstack/react-query'
import { sandboxQuery } from '../queries/session.ts'
import { texts } from '../texts/texts.ts'
import { ConsoleLink } from './console-link.tsx'
import { Notice } from './notice.tsx'

/** Beside what says that mail was sent: no mail of a sandbox leaves it. */
export function SandboxMail() {
  const { data: sandbox } = useQuery(sandboxQuery)
  if (!sandbox?.url) return null
  return (
    <p>
      {texts.kit.sandbox.mail}{' '}
      <ConsoleLink url={sandbox.url} view="mail/newest">
        {texts.kit.sandbox.openMail}
      </ConsoleLink>
    </p>
  )
}

export const MailSent = ({ children }: { readonly children: string }) => (
  <>
    <Notice tone="good">{children}</Notice>
    <SandboxMail />
  </>
)
