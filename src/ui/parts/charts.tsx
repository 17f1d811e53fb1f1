/** Loads the charts and their drawing library when they are shown for the first time. */
import { lazy } from './lazy.tsx'

export const LazyCharts = lazy(async () => (await import('./statistics-charts.tsx')).StatisticsCharts)
