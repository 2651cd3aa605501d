import { Link, useRouter } from '@tanstack/react-router'
import { Button } from '../kit/button.tsx'
import { Failure } from '../kit/notice.tsx'
import { Page } from '../kit/page.tsx'
import { texts } from '../texts/texts.ts'
import { loadAnew, Unreached } from './stalled.tsx'
import { VisitorFrame, VisitorPage } from './visitor.tsx'

export const LoadingPage = () => (
  <p className="loading" data-loading>
    {texts.loading}
  </p>
)

/** In the place of the first page, when it takes long. */
export const Unopened = () => (
  <VisitorFrame title={texts.loading}>
    <Unreached onRetry={loadAnew} />
  </VisitorFrame>
)

/** Before a login, where no other frame stands around it. */
export const LoadingVisitorPage = () => (
  <VisitorPage title={texts.loading}>
    <span data-loading />
  </VisitorPage>
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
  <VisitorPage title={texts.notFound.title} links={<Home />}>
    <p>{texts.notFound.text(location.pathname)}</p>
  </VisitorPage>
)
