// Single-key shortcuts. They are off while the reader types, and one switch turns all of them off (WCAG 2.2,
// 2.1.4).

const KEY = 'tradepost-shortcuts'

export const areShortcutsOn = (): boolean => localStorage.getItem(KEY) !== 'off'

const FIELDS = 'input, textarea, select, [contenteditable], dialog[open], [popover]:popover-open'

/** A dialog keeps the keys to itself as well. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest(FIELDS) !== null

export const switchShortcuts = (isOn: boolean): void => {
  if (isOn) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, 'off')
}
