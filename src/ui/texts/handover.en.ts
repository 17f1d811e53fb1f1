/** Holds the texts of the hand-over in English. They load with its code. */
import type { Texts } from './translation.ts'

export const texts = {
  handover: {
    since: 'Begin of the report',
    evening: 'Since yesterday 20:00',
    last: 'Since I left',
    '24h': '24 hours',
    '7d': '7 days',
    copy: 'Copy as text',
    reload: 'Refresh',
    neverLeft: 'No earlier sign-in of yours is known',
    neverLeftHint: 'The report begins with your last sign-in before the present visit.',
  },
} as const satisfies Texts
