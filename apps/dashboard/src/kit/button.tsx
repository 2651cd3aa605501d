import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import css from './kit.module.css'

interface ButtonProps
  extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'disabled'> {
  readonly look?: 'main' | 'plain' | 'danger' | 'quiet'
  readonly size?: 'small'
  readonly ref?: Ref<HTMLButtonElement>
  /** Work is under way: it stays focusable and does nothing. */
  readonly busy?: boolean
  readonly children: ReactNode
}

export function Button({
  look = 'plain',
  busy = false,
  size,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  const style = look === 'plain' ? '' : css[look]
  return (
    <button
      {...rest}
      type={type}
      className={`${css.button} ${style}`}
      data-size={size}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
    />
  )
}
