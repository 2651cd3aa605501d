interface ConsoleLinkProps {
  /** Of the console of the sandbox. */
  readonly url: string
  /** What of it is opened; without, what it shows first. */
  readonly view?: 'mail/newest' | 'gateway' | 'chains'
  readonly children: string
}

/** In a tab of its own: a person goes back and forth between the two. */
export const ConsoleLink = ({ url, view, children }: ConsoleLinkProps) => (
  <a href={view === undefined ? url : `${url}#${view}`} target="_blank" rel="noreferrer">
    {children}
  </a>
)
