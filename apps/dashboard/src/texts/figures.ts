// The texts of figures, in the reader's language.
import { figures as english } from './en/figures.ts'
import { areaOf } from './texts.ts'

export const figures = areaOf('figures', english)
