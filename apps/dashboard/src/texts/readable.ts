/** A code or a name of the books as words: `merchant_fee` is `merchant fee`. */
export const readable = (code: string): string => code.replaceAll('_', ' ')
