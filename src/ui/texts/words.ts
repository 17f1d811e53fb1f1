/** Words that more than one screen uses: buttons, statuses, guarantees, transports, what went wrong. */
import { counted, filled, texts } from './texts.ts'

export const words = texts(
  'words',
  {
    retry: 'Try again',
    loading: 'Loading…',
    cancel: 'Cancel',
    close: 'Close',
    save: 'Save',
    copy: 'Copy',
    copied: 'Copied',
    delete: 'Delete',
    more: 'Show more',
    actions: 'Actions',
    device: 'Device',
    command: 'Command',
    status: 'Status',
    sent: 'Sent',
    message: 'Message',
    none: '—',
    never: 'never',
    now: 'just now',
    unreachable: 'The server cannot be reached. Is it running?',
    failed: 'That did not work.',
    forbidden: 'Your role may not do that.',
    passwordHint: 'At most 72 bytes, that is 72 Latin letters.',
  },
  {
    retry: 'Повторить',
    loading: 'Загрузка…',
    cancel: 'Отмена',
    close: 'Закрыть',
    save: 'Сохранить',
    copy: 'Копировать',
    copied: 'Скопировано',
    delete: 'Удалить',
    more: 'Показать ещё',
    actions: 'Действия',
    device: 'Устройство',
    command: 'Команда',
    status: 'Статус',
    sent: 'Отправлено',
    message: 'Сообщение',
    none: '—',
    never: 'никогда',
    now: 'только что',
    unreachable: 'Сервер недоступен. Он запущен?',
    failed: 'Не получилось.',
    forbidden: 'Вашей роли это не разрешено.',
    passwordHint: 'Не более 72 байт, то есть 72 латинских или 36 русских букв.',
  },
)

export const statusWords = texts(
  'statuses',
  {
    NOT_DELIVERED: 'Waiting',
    DELIVERED: 'Delivered',
    COMPLETED: 'Completed',
    COMPLETED_WITH_ERROR: 'Failed',
    CANCELLED: 'Cancelled',
    UNKNOWN: 'Unknown',
  },
  {
    NOT_DELIVERED: 'Ожидает',
    DELIVERED: 'Доставлено',
    COMPLETED: 'Выполнено',
    COMPLETED_WITH_ERROR: 'Ошибка',
    CANCELLED: 'Отменено',
    UNKNOWN: 'Неизвестно',
  },
)

export const guaranteeWords = texts(
  'guarantees',
  {
    NO: 'Once, without confirmation',
    RECEIPT_CONFIRMATION: 'Until it is confirmed',
    ONLY_LAST: 'Only the last one counts',
  },
  {
    NO: 'Один раз, без подтверждения',
    RECEIPT_CONFIRMATION: 'До подтверждения',
    ONLY_LAST: 'Важна только последняя',
  },
)

export const counts = texts(
  'counts',
  {
    messages: counted({ one: '{count} message', many: '{count} messages' }),
    devices: counted({ one: '{count} device', many: '{count} devices' }),
    online: filled('{id} is online'),
  },
  {
    messages: { one: '{count} сообщение', few: '{count} сообщения', many: '{count} сообщений' },
    devices: { one: '{count} устройство', few: '{count} устройства', many: '{count} устройств' },
    online: '{id} в сети',
  },
)
