import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import { Form } from '../../../kit/form.tsx'
import { Section } from '../../../kit/page.tsx'
import { chatLinkQuery } from '../../../queries/account.ts'
import { texts } from '../../../texts/texts.ts'

const { chat: words } = texts

/** Shows nothing where no chat platform is configured. */
export function ChatAccount() {
  const { data: link } = useQuery(chatLinkQuery)
  const queries = useQueryClient()
  if (link === undefined || (!link.available && link.account === null)) return null
  return (
    <Section title={words.title}>
      <p>{link.account === null ? words.none : words.linked(link.account.username)}</p>
      {link.account !== null ? (
        <Form
          key="unlink"
          submit={words.unlink}
          look="danger"
          onSubmit={async () => {
            queries.setQueryData(chatLinkQuery.queryKey, await call('unlinkChat', {}))
          }}
        >
          {() => null}
        </Form>
      ) : (
        <Form
          key="link"
          submit={words.link}
          onSubmit={async () => {
            const { authorizationUrl } = await call('beginChatLink', {})
            window.location.assign(authorizationUrl)
          }}
        >
          {() => null}
        </Form>
      )}
    </Section>
  )
}
