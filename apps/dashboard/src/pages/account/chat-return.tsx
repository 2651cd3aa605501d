import { useQuery } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import { Failure, Notice } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { texts } from '../../texts/texts.ts'

const { chat: words, nav } = texts

/** Where the chat platform sends the browser back to. It leads to one page of ours, whatever it brings. */
export function ChatReturnPage() {
  const router = useRouter()
  // Read once: the address loses the code at once, and another tab’s history never has it.
  const [{ code, state }] = useState(
    () => router.state.location.search as { readonly code?: string; readonly state?: string },
  )
  const isAnswer = typeof code === 'string' && typeof state === 'string'
  useEffect(() => {
    window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [])
  const { data, error } = useQuery({
    queryKey: ['chat-answer', state ?? ''],
    queryFn: () => call('finishChatLink', { body: { code: code ?? '', state: state ?? '' } }),
    enabled: isAnswer,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  return (
    <Page title={words.title}>
      {!isAnswer && <Notice tone="warn">{words.denied}</Notice>}
      {error && <Failure error={error} />}
      {data?.account && <Notice tone="good">{words.linked(data.account.username)}</Notice>}
      {isAnswer && !data && !error && <p data-loading>{words.waiting}</p>}
      <p>
        <Link to="/login-settings">{nav.login}</Link>
      </p>
    </Page>
  )
}
