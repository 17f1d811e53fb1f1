/** Holds the texts of the import of logins in Russian. They load with their code. */
import type { texts as english } from './import-clients.en.ts'
import type { TranslationOf } from './translation.ts'

export const texts = {
  import: {
    title: 'Импорт учётных записей',
    lead: 'Каждая строка создаёт учётную запись или изменяет запись с этим id. Пустая ячейка ничего не меняет. Без пароля новая запись получает случайный.',
    file: 'Файл CSV',
    encoding: 'Кодировка файла: {encoding}. Проверьте id.',
    planned: 'Что сделает импорт',
    running: 'Импорт: {done} из {lines} строк',
    done: 'Импорт завершён',
    stopped: 'Импорт прерван: сервер был остановлен. Импортируйте файл снова.',
    created: {
      one: 'создана {count} учётная запись',
      few: 'создано {count} учётные записи',
      other: 'создано {count} учётных записей',
    },
    changed: { one: 'изменён {count}', few: 'изменено {count}', other: 'изменено {count}' },
    unchanged: { other: 'без изменений {count}' },
    refused: {
      one: 'отклонена {count} строка',
      few: 'отклонены {count} строки',
      other: 'отклонено {count} строк',
    },
    start: 'Импортировать {count}',
    nothing: 'В этом файле нет строк для импорта. Выберите другой файл.',
    line: 'Строка',
    sample: 'Пример файла',
    passwords: 'Скачать пароли (один раз)',
    passwordsHint:
      'Пароли новых учётных записей больше нигде не показаны. Скачайте их, прежде чем закрыть это окно.',
    demotes: 'Файл снимает роль администратора с учётной записи.',
    result: 'Изменение или ошибка',
    lines: 'Строки файла',
    willCreate: 'Новая: {role}',
    willChange: 'Изменится',
    newRole: '{before} → {role}',
  },
} satisfies TranslationOf<typeof english>
