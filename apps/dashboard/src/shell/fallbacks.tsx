import { Link, useRouter } from '@tanstack/react-router'
import { Button } from '../kit/button.tsx'
import { Failure } from '../kit/notice.tsx'
import { Page } from '../kit/page.tsx'
import { texts } from '../texts/texts.ts'
import { AnonymousFrame, AnonymousPage } from './anonymous.tsx'
import { loadAnew, Unreached } from './stalled.tsx'

export const LoadingPage = () => (
  <p className="loading" data-loading>
    {texts.loading}
  </p>
)

/** In the place of the first page, when it takes long. */
export const Unopened = () => (
  <AnonymousFrame title={texts.loading}>
    <Unreached onRetry={loadAnew} />
  </AnonymousFrame>
)

/** Before a login, where no other frame stands around it. */
export const LoadingAnonymousPage = () => (
  <AnonymousPage title={texts.loading}>
    <span data-loading />
  </AnonymousPage>
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

const Home = () => (
  <>
    <Link to="/">{texts.notFound.home}</Link> · <a href="/docs">{texts.nav.docs}</a>
  </>
)

/** Of an address that begins like that of a page: within the frame. */
export const NotFoundInFrame = () => (
  <Page title={texts.notFound.title}>
    <p>{texts.notFound.text(location.pathname)}</p>
    <p>
      <Home />
    </p>
  </Page>
)

export const NotFoundPage = () => (
  <AnonymousPage title={texts.notFound.title} links={<Home />}>
    <p>{texts.notFound.text(location.pathname)}</p>
  </AnonymousPage>
)
