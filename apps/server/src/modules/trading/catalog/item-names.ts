// From what a market calls a thing to our item.
export interface ItemNames {
  readonly size: number
  /** Whether any item is called so, for sale or not. */
  knows(marketHashName: string): boolean
  /** Null when we know no such item, or do not know which of its phases it is. */
  find(marketHashName: string, phase: string | null, paintIndex: number | null): string | null
}

export interface NamedItem {
  readonly id: string
  readonly marketHashName: string
  readonly phase: string | null
  readonly paintIndex: number | null
  /** False: the item list no longer names it, and its listings are not for sale. */
  readonly listed: boolean
}

export function createItemNames(items: Iterable<NamedItem>): ItemNames {
  // Nearly every name has one item, so the lists are short and mostly of one.
  const variants = new Map<string, NamedItem[]>()
  const hidden = new Set<string>()
  let size = 0
  for (const item of items) {
    if (!item.listed) {
      hidden.add(item.marketHashName)
      continue
    }
    const ofName = variants.get(item.marketHashName)
    if (ofName === undefined) variants.set(item.marketHashName, [item])
    else ofName.push(item)
    size++
  }
  return {
    size,
    knows: (marketHashName) => variants.has(marketHashName) || hidden.has(marketHashName),
    find: (marketHashName, phase, paintIndex) => {
      const ofName = variants.get(marketHashName)
      if (ofName === undefined) return null
      const exact = ofName.find((item) => item.phase === phase)
      if (exact !== undefined) return exact.id
      // A market that does not speak of phases still says the paint, which decides them.
      const painted = ofName.filter((item) => paintIndex !== null && item.paintIndex === paintIndex)
      if (painted.length === 1) return painted[0]?.id ?? null
      // Some call a plain item by a phase of their own; a single candidate is certain.
      return ofName.length === 1 && ofName[0]?.phase === null ? ofName[0].id : null
    },
  }
}
