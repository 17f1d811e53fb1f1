/** Sending a command. */
import { filled, texts } from './texts.ts'

export const sendTexts = texts(
  'send',
  {
    title: 'Send a command',
    deviceHint: 'Any id will do: commands for a device that is not known yet wait for it.',
    recent: 'Sent lately:',
    data: 'Data (JSON)',
    tidy: 'Tidy up',
    guarantee: 'Guarantee',
    send: 'Send',
    again: 'Send another',
    sent: 'The command is on its way',
    sentHint: filled('“{command}” for {device} is stored on disk. What becomes of it is told here.'),
    toMessage: filled('To message {id}'),
    queueFull: 'Too many commands wait for this device already. Nothing was stored.',
    gone: 'The message that was to be sent again is not there any more.',
  },
  {
    title: 'Отправить команду',
    deviceHint: 'Подойдёт любое имя: команды для неизвестного устройства будут его ждать.',
    recent: 'Недавние:',
    data: 'Данные (JSON)',
    tidy: 'Выровнять',
    guarantee: 'Гарантия',
    send: 'Отправить',
    again: 'Отправить ещё',
    sent: 'Команда отправлена',
    sentHint: 'Команда «{command}» для {device} записана на диск. Ниже видно, что с ней происходит.',
    toMessage: 'К сообщению {id}',
    queueFull: 'Это устройство ждёт уже слишком много команд. Ничего не записано.',
    gone: 'Сообщения, которое нужно отправить снова, больше нет.',
  },
)

export const guaranteeHints = texts(
  'guarantee-hints',
  {
    RECEIPT_CONFIRMATION:
      'Handed over again and again until the device confirms it. The usual choice; the device may see it twice.',
    NO: 'Handed over one time and taken as delivered. If the connection breaks at that moment, it may be lost.',
    ONLY_LAST:
      'Like the first, and it cancels the same command where it still waits. For values of which only the newest counts.',
  },
  {
    RECEIPT_CONFIRMATION:
      'Передаётся снова и снова, пока устройство не подтвердит. Обычный выбор; устройство может получить её дважды.',
    NO: 'Передаётся один раз и считается доставленной. Если в этот момент оборвётся связь, может потеряться.',
    ONLY_LAST:
      'Как первая, и отменяет такую же команду, которая ещё ждёт. Для значений, из которых важно только последнее.',
  },
)

export const jsonFaults = texts(
  'json-faults',
  {
    object: 'The data has to be an object: { … }',
    name: 'A name in double quotes has to be here',
    colon: 'A colon is missing before this',
    value: 'A value has to be here: a number, a text in double quotes, true, false, null, { … } or […]',
    text: 'This text is not closed, or has a character that needs a backslash',
    comma: 'A comma or a closing bracket is missing before this',
    end: 'A closing bracket is missing at the end',
    extra: 'There is something behind the end of the object',
    at: filled('Line {line}, column {column}.'),
  },
  {
    object: 'Данные должны быть объектом: { … }',
    name: 'Здесь должно быть имя в двойных кавычках',
    colon: 'Перед этим местом не хватает двоеточия',
    value: 'Здесь должно быть значение: число, текст в двойных кавычках, true, false, null, { … } или […]',
    text: 'Текст не закрыт или содержит символ, перед которым нужна обратная косая черта',
    comma: 'Перед этим местом не хватает запятой или закрывающей скобки',
    end: 'В конце не хватает закрывающей скобки',
    extra: 'После конца объекта что-то есть',
    at: 'Строка {line}, столбец {column}.',
  },
)
