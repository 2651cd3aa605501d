// The frame of every page of a logged-in person: skip link, navigation, who is logged in.
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { Button } from '../kit/button.tsx'
import { forgetSession, sessionQuery } from '../queries/session.ts'
import { texts } from '../texts/en.ts'
import css from './shell.module.css'
import { ThemeChoice } from './theme.tsx'

const { nav, actions } = texts

const OF_ACCOUNT = [
  { to: '/keys', label: nav.keys },
  { to: '/webhook', label: nav.webhook },
] as const
const OF_ADMINISTRATOR = [
  { to: '/admin/accounts', label: nav.accounts },
  { to: '/admin/health', label: nav.health },
] as const

export function Shell() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const logOut = async (): Promise<void> => {
    await call('logOut', {}).catch(() => {})
    forgetSession(queries)
    await navigate({ to: '/login' })
  }
  const isAdmin = session?.user.accountKind === 'admin'
  return (
    <div className={css.shell}>
      <a className={css.skip} href="#content">
        {texts.skip}
      </a>
      <nav className={css.nav} aria-label={nav.label}>
        <span className={css.brand}>{texts.product}</span>
        {(isAdmin ? OF_ADMINISTRATOR : OF_ACCOUNT).map(({ to, label }) => (
          <Link key={to} to={to}>
            {label}
          </Link>
        ))}
        <Link to="/login-settings">{nav.login}</Link>
        <a href="/docs">{nav.docs}</a>
        <div className={css.foot}>
          <span>{session?.user.email}</span>
          <ThemeChoice />
          <Button onClick={() => void logOut()}>{actions.logOut}</Button>
        </div>
      </nav>
      <main id="content">
        <Outlet />
      </main>
    </div>
  )
}
