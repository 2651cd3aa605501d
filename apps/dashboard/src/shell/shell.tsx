// The frame of every page of a logged-in person: skip link, navigation, who is logged in.

import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import type { DashboardUser } from '@tradepost/contract'
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { Brand } from '../kit/brand.tsx'
import { Button } from '../kit/button.tsx'
import { ConsoleLink } from '../kit/console-link.tsx'
import { Notice } from '../kit/notice.tsx'
import { Said } from '../kit/said.tsx'
import { asText } from '../kit/text.tsx'
import { Time, UtcHint } from '../kit/time.tsx'
import { waitingQuery } from '../queries/admin.ts'
import { leave, sessionQuery } from '../queries/session.ts'
import { visible } from '../texts/foreign.ts'
import { texts } from '../texts/texts.ts'
import { AccountChoice } from './account-choice.tsx'
import { useCodeAhead } from './code-ahead.ts'
import { LanguageChoice } from './language.tsx'
import { LookBanner } from './look-banner.tsx'
import { linkOfItem, type NavigationItem, navigationOf } from './navigation.ts'
import { Palette } from './palette.tsx'
import { RemovalBanner } from './removal-banner.tsx'
import { useRenewedSession } from './renew-session.ts'
import css from './shell.module.css'
import { useShortcuts } from './shortcuts.ts'
import { Stalled } from './stalled.tsx'
import { ThemeChoice } from './theme.tsx'

const { nav, actions } = texts

// Loaded when it is first opened. The palette is not: what is typed while it is loaded would be lost.
const KeyboardHelp = lazy(async () => ({
  default: (await import('./keyboard-help.tsx')).KeyboardHelp,
}))

export function Shell() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const logOut = async (): Promise<void> => {
    await call('logOut', {}).catch(() => {})
    leave()
  }
  const [isOpen, setOpen] = useState(false)
  const menu = useRef<HTMLButtonElement>(null)
  const [overlay, setOverlay] = useState<'search' | 'help' | null>(null)
  useEscape(isOpen && overlay === null, menu, setOpen)
  const kind = session?.user.accountKind ?? 'merchant'
  useShortcuts(kind, setOverlay)
  useFeed(session?.user)
  const { data: waiting } = useQuery({ ...waitingQuery, enabled: kind === 'admin' })
  const loadCode = useCodeAhead(kind)
  useRenewedSession(session !== null && session.impersonation === null)
  return (
    <div className={css.shell}>
      <a className={css.skip} href="#content">
        {texts.skip}
      </a>
      <header className={css.bar}>
        <Button
          ref={menu}
          aria-expanded={isOpen}
          aria-controls="pages"
          onClick={() => setOpen(!isOpen)}
        >
          {nav.menu}
        </Button>
        <Brand />
        <Button onClick={() => setOverlay('search')}>{nav.search}</Button>
      </header>
      <nav
        id="pages"
        className={css.nav}
        aria-label={nav.label}
        data-open={isOpen || undefined}
        onPointerEnter={loadCode}
        onFocus={loadCode}
      >
        <div className={css.brand}>
          <Brand />
        </div>
        <button type="button" className={css.search} onClick={() => setOverlay('search')}>
          {nav.search} <kbd>/</kbd>
        </button>
        {navigationOf(kind).map(({ label, items }) => (
          <div key={label} className={css.group}>
            {label && <h2>{label}</h2>}
            {items.map((item) => (
              <ItemLink
                key={item.to}
                item={item}
                count={item.waiting && waiting?.[item.waiting]}
                onClick={() => setOpen(false)}
              />
            ))}
          </div>
        ))}
        {/* They stay in sight where the pages above them are scrolled. */}
        <div className={css.foot}>
          <div>
            <a href="/docs">{nav.docs}</a>
            <a href="/status">{nav.status}</a>
          </div>
          <span className={css.person} title={visible(session?.user.email ?? '')}>
            {asText(session?.user.email)}
          </span>
          <span className={css.zone} title={nav.zoneHint}>
            {nav.zone(zone())}
          </span>
          <AccountChoice />
          <ThemeChoice />
          <LanguageChoice />
          <div>
            <Button size="small" onClick={() => setOverlay('help')}>
              {texts.kit.help.title}
            </Button>
            <Button size="small" onClick={() => void logOut()}>
              {actions.logOut}
            </Button>
          </div>
        </div>
      </nav>
      <main id="content">
        {session?.sandboxUrl && (
          <p className={css.sandbox}>
            {texts.kit.sandbox.text}{' '}
            <ConsoleLink url={session.sandboxUrl}>{texts.kit.sandbox.open}</ConsoleLink>
          </p>
        )}
        {session?.impersonation && <LookBanner {...session.impersonation} />}
        {session?.accountSuspended && <Notice tone="bad">{texts.accountSuspended}</Notice>}
        {kind !== 'admin' && session?.tradingPausedSince && (
          <Notice tone="warn">
            {texts.tradingPaused} <Time at={session.tradingPausedSince} />
          </Notice>
        )}
        {session?.user.factorRemovalAt && (
          <RemovalBanner removesAt={session.user.factorRemovalAt} />
        )}
        <Stalled />
        <Outlet />
      </main>
      <Said />
      <UtcHint />
      {overlay === 'search' && <Palette kind={kind} onClose={() => setOverlay(null)} />}
      <Suspense fallback={null}>
        {overlay === 'help' && <KeyboardHelp kind={kind} onClose={() => setOverlay(null)} />}
      </Suspense>
    </div>
  )
}

interface ItemLinkProps {
  readonly item: NavigationItem
  /** Of what waits there; up to 100. */
  readonly count: number | undefined
  readonly onClick: () => void
}

function ItemLink({ item, count = 0, onClick }: ItemLinkProps) {
  const shown = count < 100 ? String(count) : '99+'
  return (
    <Link {...linkOfItem(item)} onClick={onClick}>
      {item.label}
      {count > 0 && (
        <span className={css.count}>
          {' '}
          {shown} <span className="visually-hidden">{nav.waiting}</span>
        </span>
      )}
    </Link>
  )
}

/** On a phone: closes the open menu, and leaves the focus at the button that opened it. */
function useEscape(
  isOpen: boolean,
  menu: RefObject<HTMLButtonElement | null>,
  setOpen: (isOpen: boolean) => void,
): void {
  useEffect(() => {
    if (!isOpen) return
    const onKey = ({ key, defaultPrevented }: KeyboardEvent): void => {
      if (key !== 'Escape' || defaultPrevented) return
      setOpen(false)
      menu.current?.focus()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [isOpen, menu, setOpen])
}

/** Of the reader, by its name in the IANA database. The first `Intl.DateTimeFormat` of a page is far slower. */
const zone = (): string =>
  globalThis.Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone

/** Pages follow what changes, once they are shown. */
function useFeed(user: DashboardUser | undefined): void {
  const queries = useQueryClient()
  const { accountId, accountKind } = user ?? {}
  useEffect(() => {
    if (accountId === undefined) return
    const started = import('../live/start.ts').then(({ startFeed }) =>
      startFeed(queries, { accountId, isAdministrator: accountKind === 'admin' }),
    )
    return () => void started.then((stop) => stop())
  }, [queries, accountId, accountKind])
}
