import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { areShortcutsOn, switchShortcuts } from '../kit/keyboard.ts'
import { texts } from '../texts/texts.ts'
import { type AccountKind, navigationOf } from './navigation.ts'
import css from './palette.module.css'

const words = texts.kit.help

/** Every shortcut, and the switch that turns all of them off. */
export function KeyboardHelp({
  kind,
  onClose,
}: {
  readonly kind: AccountKind
  readonly onClose: () => void
}) {
  const [isOn, setOn] = useState(areShortcutsOn)
  const pages = navigationOf(kind)
    .flatMap(({ items }) => items)
    .flatMap(({ label, key }) => (key ? [[`g ${key}`, words.goTo(label)] as const] : []))
  const all = [
    ...[['/  Ctrl+K', words.search] as const, ['?', words.help] as const],
    ...[['j', words.next] as const, ['k', words.previous] as const],
    ...[['Enter', words.open] as const, ['Esc', words.close] as const],
    ...pages,
  ]
  return (
    <Dialog title={words.title} onClose={onClose}>
      <label className={css.switch}>
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            switchShortcuts(target.checked)
            setOn(target.checked)
          }}
        />
        {words.on}
      </label>
      <p className={css.count}>{words.onHint}</p>
      <dl className={css.keys}>
        {all.map(([key, what]) => (
          <div key={key}>
            <dt>{what}</dt>
            <dd>
              <kbd>{key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <div>
        <Button onClick={onClose}>{texts.actions.close}</Button>
      </div>
    </Dialog>
  )
}
