import { useState } from 'react'
import { texts } from '../texts/texts.ts'

const KEY = 'tradepost-theme'
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const chosen = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system'

export function ThemeChoice() {
  const [theme, setTheme] = useState(chosen)
  const choose = (next: Theme): void => {
    setTheme(next)
    if (next === 'system') {
      localStorage.removeItem(KEY)
      delete document.documentElement.dataset.theme
    } else {
      localStorage.setItem(KEY, next)
      document.documentElement.dataset.theme = next
    }
  }
  return (
    <label>
      {texts.nav.theme}{' '}
      <select value={theme} onChange={({ target }) => choose(target.value as Theme)}>
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {texts.nav.themes[each]}
          </option>
        ))}
      </select>
    </label>
  )
}
