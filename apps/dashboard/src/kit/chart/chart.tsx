// Loads the drawing after the page is shown; its frame has its final size before.
import { lazy, Suspense } from 'react'
import css from './chart.module.css'
import type { TimeChartProps } from './time-chart.tsx'

const TimeChart = lazy(async () => ({ default: (await import('./time-chart.tsx')).TimeChart }))

export const Chart = (props: TimeChartProps) => (
  <Suspense fallback={<div className={css.waiting} />}>
    <TimeChart {...props} />
  </Suspense>
)
