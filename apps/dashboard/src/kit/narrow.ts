/** Of a phone, where lists are cards: as the style sheets say. */
export const isNarrowWindow = (): boolean => window.innerWidth <= 600
