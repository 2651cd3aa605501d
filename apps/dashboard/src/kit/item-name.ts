/** Phases of a Doppler share one name. */
export const itemName = ({
  marketHashName,
  phase,
}: {
  readonly marketHashName: string
  readonly phase?: string
}): string => (phase === undefined ? marketHashName : `${marketHashName} · ${phase}`)
