import { type ReactNode, useId, useRef } from 'react'
import css from './popover.module.css'

interface PopoverProps {
  readonly label: ReactNode
  readonly title: string
  readonly isActive?: boolean
  readonly children: (close: () => void) => ReactNode
}

/** A button with a panel below it. The browser closes the panel with Escape or a click elsewhere. */
export function Popover({ label, title, isActive = false, children }: PopoverProps) {
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const place = (): void => {
    if (!panel.current || !button.current) return
    const { left, bottom } = button.current.getBoundingClientRect()
    const { style, offsetWidth } = panel.current
    style.left = `${Math.max(8, Math.min(left, window.innerWidth - offsetWidth - 8))}px`
    style.top = `${bottom + 4}px`
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className={css.opener}
        data-active={isActive || undefined}
        popoverTarget={id}
        aria-haspopup="dialog"
      >
        {label}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={title}
        className={css.panel}
        onToggle={({ newState }) => {
          if (newState !== 'open') return
          place()
          panel.current?.querySelector<HTMLElement>('input, select, button, a')?.focus()
        }}
      >
        {children(() => panel.current?.hidePopover())}
      </div>
    </>
  )
}
