// Times of which figures are kept: each ends with the last finished hour or day.
const SPANS = ['day', 'week', 'month', 'quarter'] as const
export type FigureSpan = (typeof SPANS)[number]
export const FIGURE_SPANS: readonly FigureSpan[] = SPANS

/** Of the page's address; `week` when it says none. */
export const figureSpanOf = ({ span }: { readonly span?: string | undefined }): FigureSpan =>
  SPANS.find((each) => each === span) ?? 'week'
