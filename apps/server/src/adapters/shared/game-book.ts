// Markets name stickers and charms by the game's own numbers; people read names. The book between the
// two is the game's item list.

export interface Face {
  readonly name: string
  readonly iconUrl: string
}

/** Null for a number that the book does not have. */
export interface GameBook {
  sticker(stickerId: number): Face | null
  charm(charmId: number): Face | null
  /** Reads the book where it is missing or old; a failure leaves what there was. */
  refresh(): Promise<void>
}

export const emptyGameBook: GameBook = {
  sticker: () => null,
  charm: () => null,
  refresh: async () => {},
}

/** A sticker without a name is on the item all the same and has its price: it is not left out. */
export const stickerFace = (book: GameBook, stickerId: number): Face =>
  book.sticker(stickerId) ?? { name: `Sticker #${stickerId}`, iconUrl: '' }

export const charmFace = (book: GameBook, charmId: number): Face =>
  book.charm(charmId) ?? { name: `Charm #${charmId}`, iconUrl: '' }
