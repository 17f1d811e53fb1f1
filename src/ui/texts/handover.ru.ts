/** Holds the texts of the hand-over in Russian. They load with its code. */
import type { texts as english } from './handover.en.ts'
import type { TranslationOf } from './translation.ts'

export const texts = {
  handover: {
    since: 'Начало отчёта',
    evening: 'Со вчерашних 20:00',
    last: 'С моего ухода',
    '24h': '24 часа',
    '7d': '7 дней',
    copy: 'Копировать текстом',
    reload: 'Обновить',
    neverLeft: 'Ваш прошлый вход неизвестен',
    neverLeftHint: 'Отчёт начинается с вашего последнего входа перед нынешним.',
  },
} satisfies TranslationOf<typeof english>
