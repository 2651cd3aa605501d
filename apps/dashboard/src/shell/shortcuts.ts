// The shortcuts of every page: `/` or Ctrl+K searches, `?` helps, `g` and a letter goes to a page.
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { areShortcutsOn, isTyping } from '../kit/keyboard.ts'
import { type AccountKind, linkOfItem, navigationOf } from './navigation.ts'

const SEQUENCE_MS = 1_500

export function useShortcuts(kind: AccountKind, open: (what: 'search' | 'help') => void): void {
  const navigate = useNavigate()
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent): void => {
      const { key, metaKey, ctrlKey, altKey } = event
      // With Ctrl or ⌘ it types nothing, so it works in fields, and where single letters are switched off.
      if (key === 'k' && metaKey !== ctrlKey && !altKey) {
        event.preventDefault()
        open('search')
        return
      }
      if (metaKey || ctrlKey || altKey || !areShortcutsOn() || isTyping(event)) return
      if (performance.now() - wentAt < SEQUENCE_MS) {
        wentAt = Number.NEGATIVE_INFINITY
        const items = navigationOf(kind).flatMap((group) => group.items)
        const item = items.find((each) => each.key === key)
        if (item) void navigate(linkOfItem(item) as never)
      } else if (key === 'g') wentAt = performance.now()
      else if (key === '/' || key === '?') {
        event.preventDefault()
        open(key === '/' ? 'search' : 'help')
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [kind, open, navigate])
}
