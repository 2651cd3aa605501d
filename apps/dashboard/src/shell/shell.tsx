// The frame of every page of a logged-in person: skip link, navigation, who is logged in.
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { Button } from '../kit/button.tsx'
import { forgetSession, sessionQuery } from '../queries/session.ts'
import { texts } from '../texts/en.ts'
import { AccountChoice } from './account-choice.tsx'
import { navigationOf } from './navigation.ts'
import css from './shell.module.css'
import { ThemeChoice } from './theme.tsx'

const { nav, actions } = texts

export function Shell() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const logOut = async (): Promise<void> => {
    await call('logOut', {}).catch(() => {})
    forgetSession(queries)
    await navigate({ to: '/login' })
  }
  return (
    <div className={css.shell}>
      <a className={css.skip} href="#content">
        {texts.skip}
      </a>
      <nav className={css.nav} aria-label={nav.label}>
        <span className={css.brand}>{texts.product}</span>
        {navigationOf(session?.user.accountKind ?? 'merchant').map(({ label, items }) => (
          <div key={label} className={css.group}>
            {label && <h2>{label}</h2>}
            {items.map((item) => (
              <Link key={item.to} to={item.to}>
                {item.label}
              </Link>
            ))}
          </div>
        ))}
        <a href="/docs">{nav.docs}</a>
        <div className={css.foot}>
          <span>{session?.user.email}</span>
          <AccountChoice />
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
