import { Link, useRouter } from '@tanstack/react-router'
import { Button } from '../kit/button.tsx'
import { Failure } from '../kit/notice.tsx'
import { Page } from '../kit/page.tsx'
import { texts } from '../texts/texts.ts'

export const LoadingPage = () => (
  <p className="loading" data-loading>
    {texts.loading}
  </p>
)

export function FailurePage({
  error,
  reset,
}: {
  readonly error: unknown
  readonly reset: () => void
}) {
  const router = useRouter()
  const retry = async (): Promise<void> => {
    await router.invalidate()
    reset()
  }
  return (
    <Page title={texts.errors.title}>
      <Failure error={error} />
      <div>
        <Button onClick={() => void retry()}>{texts.actions.retry}</Button>
      </div>
    </Page>
  )
}

export const NotFoundPage = () => (
  <main>
    <Page title={texts.notFound.title}>
      <p>{texts.notFound.text}</p>
      <p>
        <Link to="/">{texts.notFound.home}</Link>
      </p>
    </Page>
  </main>
)
